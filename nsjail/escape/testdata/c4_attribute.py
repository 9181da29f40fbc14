# technique: write an extended attribute
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
with open("file", "w"):
    pass
attempt(188, b"file", b"user.x", b"v", 1, 0)  # setxattr
