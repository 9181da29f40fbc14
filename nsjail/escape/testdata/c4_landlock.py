# technique: the calls of Landlock
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
attempt("landlock_create_ruleset", 0, 0, 1)
