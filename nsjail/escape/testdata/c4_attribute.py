# technique: write an extended attribute
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
with open("file", "w"):
    pass
# A tmpfs has attributes of users since Linux 6.6; an access list that says no more than the mode is older.
mode = bytes.fromhex("02000000 01000600ffffffff 04000400ffffffff 20000400ffffffff")
tried = [(name, call(188, b"file", name, value, len(value), 0)[1])  # setxattr
         for name, value in ((b"user.x", b"v"), (b"system.posix_acl_access", mode))]
done = [name for name, error in tried if not error]
if done:
    won("%s is set" % done)
else:
    held("setxattr: %s" % " ".join(error for _, error in tried))
