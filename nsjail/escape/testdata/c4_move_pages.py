# technique: move pages between nodes
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
attempt("move_pages", 0, 0, 0, 0, 0, 0)
