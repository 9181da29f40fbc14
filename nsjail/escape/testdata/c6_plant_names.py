# technique: leaves names that no other system takes, for a collector
# family: C6
# severity: H
# layers: policy, collector
# verdict: completed
# expect: status=succeeded, files=7, files_skipped=3
import os

for name in [b"a\nb", b"\xff\xfe", b"x" * 255, b"-rf", b"\x1b[2J", "e\u0301".encode(), "é".encode(), b"C:\\x", b"...", b" "]:
    with open(name, "wb") as f:
        f.write(b"x")
won("a collector finds %d odd names" % len(os.listdir(b".")))
