# technique: evaluate a text put together at run time
# family: A
# severity: H
# layers: policy, seccomp
start_process(lambda: eval("__imp" + "ort__('o" + "s')"))
