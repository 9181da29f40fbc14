# technique: import an extension from where one can write
# family: C4
# severity: H
# layers: noexec, landlock
import importlib.util
import sys

import _json

with open(_json.__file__, "rb") as f, open("_json_copy.so", "wb") as g:
    g.write(f.read())
spec = importlib.util.spec_from_file_location("_json", "./_json_copy.so")
try:
    module = importlib.util.module_from_spec(spec)
    won("it encodes %s" % module.encode_basestring("x"))
except ImportError as e:
    held(errno_name(e))
