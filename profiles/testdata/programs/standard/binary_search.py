import bisect
from array import array
from operator import add, attrgetter, itemgetter, methodcaller, mul
from functools import reduce
from itertools import accumulate
import operator

grades = [(90, "A"), (80, "B"), (70, "C"), (60, "D")]
limits, letters = [60, 70, 80, 90], "FDCBA"
print([letters[bisect.bisect(limits, s)] for s in (33, 99, 77, 70, 89, 90, 100)])
sorted_list = []
for x in (5, 1, 4, 1, 3):
    bisect.insort(sorted_list, x)
print(sorted_list, bisect.bisect_left(sorted_list, 1), bisect.bisect_right(sorted_list, 1))


class Item:
    def __init__(self, name, price):
        self.name, self.price = name, price

    def discounted(self, percent):
        return round(self.price * (1 - percent / 100), 2)


items = [Item("pen", 2.5), Item("book", 12.0), Item("bag", 30.0)]
print([i.name for i in sorted(items, key=attrgetter("price"), reverse=True)], list(map(methodcaller("discounted", 10), items)))
print(sorted({"b": 2, "a": 3}.items(), key=itemgetter(1)), reduce(mul, range(1, 7)), list(accumulate([1, 2, 3, 4], operator.mul)), reduce(add, [[1], [2]]))
numbers = array("i", [3, 1, 2])
numbers.extend([9, 8])
print(numbers.tolist(), sum(numbers), numbers.typecode, numbers.itemsize, array("d", [1.5, 2])[1], numbers[1:3])


def longest_increasing(seq):
    tails = []
    for x in seq:
        i = bisect.bisect_left(tails, x)
        tails[i:i + 1] = [x]
    return len(tails)


def two_sum(numbers, target):
    lo, hi = 0, len(numbers) - 1
    while lo < hi:
        s = numbers[lo] + numbers[hi]
        if s == target:
            return lo, hi
        lo, hi = (lo + 1, hi) if s < target else (lo, hi - 1)


print(longest_increasing([10, 9, 2, 5, 3, 7, 101, 18]), two_sum([1, 3, 4, 6, 10], 10))
