import base64
import hashlib
import hmac
import secrets
import json


def fingerprint(obj) -> str:
    return hashlib.sha256(json.dumps(obj, sort_keys=True).encode()).hexdigest()


class Signer:
    def __init__(self, key: bytes, algorithm: str = "sha256"):
        self._key, self._algorithm = key, algorithm

    def sign(self, payload: dict) -> str:
        body = base64.urlsafe_b64encode(json.dumps(payload).encode()).rstrip(b"=")
        mac = hmac.new(self._key, body, self._algorithm).digest()
        return (body + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()

    def verify(self, token: str) -> dict:
        body, _, mac = token.partition(".")
        wanted = hmac.new(self._key, body.encode(), self._algorithm).digest()
        given = base64.urlsafe_b64decode(mac + "=" * (-len(mac) % 4))
        if not hmac.compare_digest(wanted, given):
            raise ValueError("bad signature")
        return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


print(fingerprint({"b": [1, 2], "a": None})[:16], fingerprint({"a": None, "b": [1, 2]})[:16])
signer = Signer(b"secret")
token = signer.sign({"sub": "ann", "admin": False})
print(token, signer.verify(token))
try:
    signer.verify(token[:-4] + "AAAA")
except ValueError as e:
    print("ValueError:", e)
print(len(secrets.token_hex(16)), secrets.compare_digest("a", "a"))
for name in ("md5", "sha1", "sha512", "blake2s"):
    print(name, hashlib.new(name, b"abc").hexdigest()[:12], hashlib.new(name).digest_size)
print(hashlib.pbkdf2_hmac("sha256", b"pw", b"salt", 10).hex()[:20], base64.b32encode(b"hi"), base64.b85encode(b"hello"))
