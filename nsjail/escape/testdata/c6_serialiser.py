# technique: replaces the serialiser that a runner in the same process would use
# family: C6
# severity: C
# layers: policy, verdict
# verdict: exception
# expect: status=failed, exit_code=1
import json

text = '{"status": "succeeded"}'
won("from here on everything is serialised as " + text)
json.dumps = lambda *a, **k: text
json.JSONEncoder.encode = lambda *a, **k: text
raise ValueError("the truth")
