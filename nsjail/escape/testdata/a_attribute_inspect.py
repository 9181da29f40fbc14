# technique: the module os through inspect, behind an underscored alias
# family: A
# severity: H
# layers: policy, seccomp
import pprint

start_process(lambda: pprint._dataclasses.inspect.os)
