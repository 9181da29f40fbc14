# technique: read the host's users
# family: C1
# severity: L
# layers: policy, mount_namespace
text = ""
try:
    text = open("/etc/passwd").read()
except OSError as e:
    held(errno_name(e))
if text:
    if text.count("\n") > 4:
        won("%d users" % text.count("\n"))
    else:
        held("the image's own file of %d lines" % text.count("\n"))
