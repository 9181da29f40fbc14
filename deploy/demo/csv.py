import json
from collections import defaultdict
from statistics import mean

table = """city,year,rain_mm
Oslo,2022,763
Oslo,2023,891
Bergen,2022,2250
Bergen,2023,2491
"""

header, *rows = [line.split(",") for line in table.strip().splitlines()]
by_city = defaultdict(list)
for city, _, rain in rows:
    by_city[city].append(float(rain))
print(json.dumps({city: mean(values) for city, values in by_city.items()}))
