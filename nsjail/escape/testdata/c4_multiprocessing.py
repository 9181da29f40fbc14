# technique: a pool of processes
# family: C4
# severity: H
# layers: policy, seccomp
try:
    import multiprocessing, os
    child = multiprocessing.get_context("fork").Process(target=os._exit, args=(7,))
    child.start()
    child.join()
    won("child's exit status %d" % child.exitcode)
except Exception as e:
    held(errno_name(e))
