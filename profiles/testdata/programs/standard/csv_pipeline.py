import csv
import io
from collections import Counter, defaultdict
from operator import itemgetter

SOURCE = '''name,department,salary,note
"Smith, Anna",R&D,5200,"likes ""quotes"""
Bo,R&D,4100,
Cy,Sales,3900,"two
lines"
'''

reader = csv.DictReader(io.StringIO(SOURCE))
rows = sorted(reader, key=itemgetter("department", "name"))
print(reader.fieldnames, len(rows))
totals = defaultdict(list)
for row in rows:
    totals[row["department"]].append(int(row["salary"]))
    print(f"{row['name']!r:<16} {row['salary']:>6} {row['note']!r}")
out = io.StringIO(newline="")
writer = csv.DictWriter(out, fieldnames=["department", "people", "average"], delimiter=";", quoting=csv.QUOTE_NONNUMERIC)
writer.writeheader()
for department, salaries in sorted(totals.items()):
    writer.writerow({"department": department, "people": len(salaries), "average": sum(salaries) / len(salaries)})
print(out.getvalue().replace("\r\n", "\n"), end="")
print(list(csv.reader(["a\tb\tc", "1\t2\t3"], delimiter="\t")), Counter(r["department"] for r in rows))
with io.StringIO() as buffer:
    csv.writer(buffer).writerows([[1, "x,y"], [2.5, None]])
    buffer.seek(0)
    print([line.strip() for line in buffer])
print(csv.Sniffer().sniff("a;b\n1;2\n").delimiter)
