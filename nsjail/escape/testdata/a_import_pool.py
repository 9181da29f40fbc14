# technique: a process of the library for them
# family: A
# severity: H
# layers: policy, seccomp
try:
    import multiprocessing
    child = multiprocessing.get_context("fork").Process(target=lambda: exit(7))
    reached("the class of processes")
    child.start()
    child.join()
    (won if child.exitcode == 7 else held)("child's exit status %s" % child.exitcode)
except Exception as e:
    held(errno_name(e))
