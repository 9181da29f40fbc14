# technique: search the keyrings by request_key
# family: C3
# severity: H
# layers: seccomp
# profile: python-full
call("add_key", b"user", b"safe-exec-probe", b"x", 1, -2)  # so that there is one to find
attempt("request_key", b"user", b"safe-exec-probe", 0, 0)
