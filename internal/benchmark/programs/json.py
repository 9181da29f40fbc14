import json

record = {
    "items": [{"id": i, "name": "item %d" % i, "price": i * 1.25, "tags": ["a", "b", str(i)], "on": i % 2 == 0} for i in range(500)],
    "total": None, "note": "grüße \"quoted\"\n" * 20,
}
length = 0
for _ in range(2600):
    text = json.dumps(record)
    length += len(text)
    record = json.loads(text)
print(length)
