# technique: a hash function with endless rounds
# family: C5
# severity: H
# layers: supervisor
# verdict: wall_timeout
# timeout_ms: 300
# within_ms: 5000
import hashlib
import time

begin = time.monotonic()
rounds = 1000
while time.monotonic() < begin + 0.9:
    hashlib.pbkdf2_hmac("sha256", b"x", b"y", rounds)
    rounds *= 2
won("%d rounds" % rounds)
