# technique: JSON there and back
# family: innocents
# innocent: yes
import json

value = {"name": "Ünïcode ✓", "list": [1, 2.5, None, True], "nested": {"a": {"b": []}}}
ok = json.loads(json.dumps(value)) == value and json.dumps({"b": 1, "a": 2}, sort_keys=True, indent=2).count("\n") == 3
(won if ok else held)("%d letters" % len(json.dumps(value)))
