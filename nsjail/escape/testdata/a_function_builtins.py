# technique: the builtins of a library function
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import textwrap

read_host(lambda: textwrap.dedent.__builtins__["open"])
