# technique: leaves a directory that contains itself, for a collector
# family: C6
# severity: H
# layers: policy, collector
# verdict: completed
# expect: status=succeeded, files=0, files_skipped=2
import os

os.mkdir("d")
os.symlink("..", "d/up")
os.symlink("self", "self")
won("a collector would go %d deep" % len(os.path.realpath("d/up/d/up/d/up")))
