# technique: find a secret of the supervisor in the environment
# family: C2
# severity: H
# layers: policy, environment
import os

found = [name for name, value in os.environ.items() if (name, value) == ("@ENVIRON_NAME@", "@ENVIRON_VALUE@")]
if found:
    won("%s: %s" % (found, os.environ[found[0]]))
else:
    held("%d variables, none secret" % len(os.environ))
