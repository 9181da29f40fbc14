# technique: System V semaphores
# family: C3
# severity: M
# layers: seccomp, ipc_namespace
# profile: python-full
semaphore, e = call("semget", 0, 1, 0o1600)
if e:
    held("semget: " + e)
else:
    call(66, semaphore, 0, 0, 0)  # IPC_RMID
    won("semaphore %d" % semaphore)
