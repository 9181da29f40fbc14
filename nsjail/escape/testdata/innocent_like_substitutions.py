# technique: callbacks of substitutions, sorts, readers and folds
# family: innocents
# innocent: yes
import collections
import json
import re

def camel(match):
    return match.group(1).upper()

found = [re.sub(r"_([a-z])", camel, "import_the_os_module"), sorted(["b", "A"], key=str.lower), max("aaa", "b", key=len)]
found.append(json.loads('{"open": 1.5, "exec": [2]}', parse_float=lambda t: t + "!", object_hook=lambda d: sorted(d.items())))
found.append(json.dumps({"x": {1}}, default=sorted, sort_keys=True))
groups = collections.defaultdict(list)
for word in "os sys open eval".split():
    groups[len(word)].append(word)
found.append(dict(groups))
found.append(list(map(int, filter(str.isdigit, "a1b2"))))
found.append(list(iter(iter([1, 2, 0, 3]).__next__, 0)))
want = ["importTheOsModule", ["A", "b"], "aaa", [("exec", [2]), ("open", "1.5!")], '{"x": [1]}', {2: ["os"], 3: ["sys"], 4: ["open", "eval"]}, [1, 2], [1, 2]]
(won if found == want else held)(found)
