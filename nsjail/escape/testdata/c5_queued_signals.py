# technique: signals queued with a value
# family: C5
# severity: M
# layers: seccomp
# profile: python-full
information = _ctypes.create_string_buffer(128)
information[0:4] = (18).to_bytes(4, "little")
information[8:12] = (-1).to_bytes(4, "little", signed=True)
attempt(129, _os.getpid(), 18, information)  # rt_sigqueueinfo to itself, SIGCONT
