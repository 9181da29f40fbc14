import json
import math


def solve(task: dict) -> dict:
    kind = task["kind"]
    if kind == "quadratic":
        a, b, c = task["a"], task["b"], task["c"]
        d = b * b - 4 * a * c
        if d < 0:
            re, im = -b / (2 * a), math.sqrt(-d) / (2 * a)
            return {"roots": [[re, im], [re, -im]]}
        return {"roots": sorted({(-b + s * math.sqrt(d)) / (2 * a) for s in (1, -1)})}
    if kind == "compound":
        balance, rows = task["principal"], []
        for year in range(1, task["years"] + 1):
            balance *= 1 + task["rate"]
            rows.append({"year": year, "balance": round(balance, 2)})
        return {"rows": rows}
    raise KeyError(kind)


tasks = json.loads("""[
  {"kind": "quadratic", "a": 1, "b": -3, "c": 2},
  {"kind": "quadratic", "a": 1, "b": 2, "c": 5},
  {"kind": "compound", "principal": 1000, "rate": 0.05, "years": 3},
  {"kind": "unknown"}
]""")
results = []
for task in tasks:
    try:
        results.append({"ok": True, **solve(task)})
    except KeyError as error:
        results.append({"ok": False, "error": f"unknown kind {error}"})
print(json.dumps({"count": len(results), "results": results, "unicode": "naïve ☃"}, ensure_ascii=False, sort_keys=True))


class Encoder(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, (set, frozenset)):
            return sorted(o)
        if isinstance(o, complex):
            return {"re": o.real, "im": o.imag}
        return super().default(o)


print(json.dumps({"s": {3, 1}, "c": 1 + 2j}, cls=Encoder, indent=1))
print(json.loads('{"x": 1.10, "y": [1e3]}', parse_float=str), json.loads("[1,2]", object_hook=dict))
