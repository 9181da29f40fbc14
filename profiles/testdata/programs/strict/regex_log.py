import re
from collections import Counter, defaultdict
from datetime import datetime

LOG = """\
10.0.0.1 - - [10/Oct/2023:13:55:36 +0000] "GET /index.html HTTP/1.1" 200 2326
10.0.0.2 - bob [10/Oct/2023:13:56:01 +0000] "POST /login HTTP/1.1" 302 0
10.0.0.1 - - [10/Oct/2023:14:01:12 +0000] "GET /missing HTTP/1.1" 404 153
bad line here
10.0.0.3 - - [10/Oct/2023:14:02:55 +0000] "GET /index.html?q=a%20b HTTP/1.1" 200 2326
"""

PATTERN = re.compile(r"""
    (?P<ip>\d+(?:\.\d+){3})\s-\s(?P<user>\S+)\s
    \[(?P<when>[^\]]+)\]\s
    "(?P<method>[A-Z]+)\s(?P<path>\S+)\s[^"]*"\s
    (?P<status>\d{3})\s(?P<size>\d+)
""", re.VERBOSE)

hits, sizes, bad = Counter(), defaultdict(int), []
for number, line in enumerate(LOG.splitlines(), start=1):
    if not (m := PATTERN.match(line)):
        bad.append((number, line))
        continue
    entry = m.groupdict()
    when = datetime.strptime(entry["when"], "%d/%b/%Y:%H:%M:%S %z")
    hits[entry["path"].split("?")[0], entry["status"]] += 1
    sizes[when.hour] += int(entry["size"])
for (path, status), n in sorted(hits.items()):
    print(f"{status} {path:<12} {n}")
print(dict(sizes), bad)
print(re.split(r"\s*[,;]\s*", "a , b;c ,d"), re.findall(r"(\w+)=(\d+)", "a=1 b=22"))
print(re.sub(r"(?<!\d)(\d{3})(\d{4})(?!\d)", r"\1-\2", "call 5551234 now"))
email = re.compile(r"^[\w.+-]+@[\w-]+\.[\w.]+$", re.I)
print([bool(email.fullmatch(e)) for e in ("a.b@c.de", "x@y", "@z.com")])
