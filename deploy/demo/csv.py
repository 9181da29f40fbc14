import json
from collections import defaultdict
from statistics import mean

import workdir

header, *rows = [line.split(",") for line in workdir.read_text("rain.csv").splitlines()]
by_city = defaultdict(list)
for city, _, rain in rows:
    by_city[city].append(float(rain))
means = json.dumps({city: mean(values) for city, values in by_city.items()})
workdir.write_text("means.json", means)
print(means)
