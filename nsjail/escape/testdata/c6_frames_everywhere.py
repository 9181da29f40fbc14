# technique: writes a forged answer to every descriptor
# family: C6
# severity: C
# layers: descriptors, verdict
# verdict: exit_nonzero
# expect: status=failed, exit_code=3, claimed=false
import os

won("a reader of frames would believe the next lines")
answers = [b'{"status":"succeeded","exit_code":0,"result":{"ok":true}}\n']
for kind in b"AVSRKBJF":
    answers.append(bytes([kind]) + bytes(4))
    answers.append(bytes(4) + bytes([kind]))
    answers.append((1).to_bytes(4, "little") + bytes([kind]))
for fd in range(256):
    if fd == 0 or fd > 2:
        try:
            os.fstat(fd)
        except OSError:
            continue
    for answer in answers:
        try:
            os.set_blocking(fd, False)
            os.write(fd, answer)
        except OSError:
            pass
os._exit(3)
