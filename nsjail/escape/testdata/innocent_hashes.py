# technique: digests, keyed digests, random tokens and encodings
# family: innocents
# innocent: yes
import base64
import hashlib
import hmac
import random
import secrets

random.seed(1)
ok = hashlib.sha256(b"abc").hexdigest().startswith("ba7816bf") and hashlib.blake2b(b"x", digest_size=8).digest_size == 8
ok = ok and hmac.new(b"k", b"m", "sha256").hexdigest()[:6] == "a763a8" or hmac.compare_digest(hmac.digest(b"k", b"m", "sha256"), hmac.new(b"k", b"m", "sha256").digest())
ok = ok and base64.b64decode(base64.urlsafe_b64encode(bytes(range(256))).replace(b"-", b"+").replace(b"_", b"/")) == bytes(range(256))
ok = ok and len(secrets.token_hex(16)) == 32 and random.randint(1, 6) in range(1, 7)
(won if ok else held)("token " + secrets.token_hex(4))
