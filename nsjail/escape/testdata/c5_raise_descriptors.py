# technique: raise the limit of descriptors
# family: C5
# severity: M
# layers: seccomp, rlimit
import resource

try:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    won("from 100 to %d" % resource.getrlimit(resource.RLIMIT_NOFILE)[0])
except (OSError, ValueError) as e:
    held(errno_name(e))
