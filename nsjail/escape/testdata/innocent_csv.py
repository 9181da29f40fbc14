# technique: read and write tables
# family: innocents
# innocent: yes
# policy: relaxed
import csv
import io

text = io.StringIO()
w = csv.DictWriter(text, ["name", "note"])
w.writeheader()
w.writerows([{"name": "a", "note": 'says "hi", twice'}, {"name": "b", "note": "two\nlines"}])
text.seek(0)
rows = list(csv.DictReader(text))
(won if rows[1]["note"] == "two\nlines" and len(rows) == 2 else held)("%d rows" % len(rows))
