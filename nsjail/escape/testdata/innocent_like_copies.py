# technique: copies of the program's own objects, shallow, deep and by their own methods
# family: innocents
# innocent: yes
import copy

class Tree:
    def __init__(self, name, parent=None):
        self.name, self.parent, self.children = name, parent, []
        if parent:
            parent.children.append(self)

class Cached:
    def __init__(self, value):
        self.value, self.cache = value, {}

    def __copy__(self):
        return Cached(self.value)

    def __deepcopy__(self, memo):
        return Cached(copy.deepcopy(self.value, memo))

class Slim:
    __slots__ = ("a",)

root = Tree("root")
Tree("leaf", root)
twin = copy.deepcopy(root)
slim = Slim()
slim.a = [1]
deep, shallow = copy.deepcopy(slim), copy.copy(slim)
cached = Cached([1])
cached.cache["x"] = 1
ok = twin.children[0].parent is twin and twin.children[0] is not root.children[0] and deep.a == [1] and deep.a is not slim.a and shallow.a is slim.a
ok = ok and copy.copy(cached).cache == {} and copy.deepcopy([cached])[0].value == [1] and copy.deepcopy(print) is print and copy.copy(len) is len
ok = ok and copy.deepcopy({"a": {1, 2}, "b": (3, [4])}) == {"a": {1, 2}, "b": (3, [4])} and copy.copy(range(3)) == range(3)
(won if ok else held)(twin.name)
