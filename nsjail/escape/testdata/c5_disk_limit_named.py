# technique: dies of a full working directory
# family: C5
# severity: H
# layers: policy, tmpfs_size
# verdict: disk_limit
# expect: status=failed, exit_code=1
f = open("file", "wb", buffering=0)
n = 0
while n <= 70 << 20:
    n += f.write(bytes(1 << 16))
won("wrote %d bytes" % n)
