# technique: format strings with dots and braces in prose, and fields of own objects
# family: innocents
# innocent: yes
class Point:
    def __init__(self, x, y):
        self.x, self.y, self._label, self.__hidden = x, y, "p", 3

    def __format__(self, specification):
        return format(self.x, specification or "d") + "," + str(self.__hidden)

p = Point(1, 2)
texts = ["{0.x}.{0.y}...{{end}}".format(p), "{p:03d}".format(p=p), "{a[b]}. And so on.".format(a={"b": 5}),
         f"{p.x:>{4}}.{p._label!r}", "%(x)s.%(y)s" % {"x": 1, "y": 2}, "{x}{y}".format_map({"x": 8, "y": 9}),
         'json: {"a.b": {"c": 1}}', "see a.b.__init__ {and} more"]
(won if texts[:6] == ["1.2...{end}", "001,3", "5. And so on.", "   1.'p'", "1.2", "89"] else held)(texts)
