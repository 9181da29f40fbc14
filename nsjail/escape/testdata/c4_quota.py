# technique: the interface of quotas
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
# Writing out the quotas of all file systems needs no privilege and changes nothing.
attempt("quotactl", 0x80000100, 0, 0, 0)
