import copy
import pprint
from types import MappingProxyType, SimpleNamespace

inventory = {
    "warehouse": {"A1": {"item": "bolt", "count": 1200, "tags": ["metal", "small"]}, "B7": {"item": "panel", "count": 3, "tags": []}},
    "orders": [SimpleNamespace(id=i, lines=[("bolt", i * 10), ("panel", 1)]) for i in range(1, 4)],
    "totals": (1, 2.5, None, True, {"x", }),
}
snapshot = copy.deepcopy(inventory)
shallow = copy.copy(inventory)
inventory["warehouse"]["A1"]["count"] -= 200
print(snapshot["warehouse"]["A1"]["count"], shallow["warehouse"]["A1"]["count"])
pprint.pprint(inventory, width=60)
print(pprint.pformat(inventory["warehouse"], indent=2, depth=2, sort_dicts=False))
frozen = MappingProxyType(inventory["warehouse"])
try:
    frozen["C1"] = 1
except TypeError as e:
    print("TypeError:", e)
nested = [1, [2, [3]]]
nested.append(nested)
print(pprint.isrecursive(nested), repr(nested))


class Item:
    def __init__(self, name, parts=()):
        self.name, self.parts = name, list(parts)

    def __deepcopy__(self, memo):
        clone = Item(self.name + " copy")
        memo[id(self)] = clone
        clone.parts = copy.deepcopy(self.parts, memo)
        return clone


item = Item("desk", [Item("leg")])
item.parts.append(item)
twin = copy.deepcopy(item)
print(twin.name, [p.name for p in twin.parts], twin.parts[1] is twin)
