# technique: an attribute getter of a module that an allowed one imports
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import typing

read_host(lambda: typing.operator.attrgetter("__self__.open")(print))
