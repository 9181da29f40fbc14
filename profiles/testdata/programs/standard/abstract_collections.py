from __future__ import annotations
from collections.abc import Callable, Iterable, Mapping, Sequence
import collections.abc


class Deck(Sequence):
    ranks = [str(n) for n in range(2, 11)] + list("JQKA")

    def __init__(self, cards: Iterable[str] | None = None):
        self._cards = list(cards) if cards is not None else [r + s for s in "SHDC" for r in self.ranks]

    def __len__(self):
        return len(self._cards)

    def __getitem__(self, i):
        return Deck(self._cards[i]) if isinstance(i, slice) else self._cards[i]


def apply(f: Callable[[int], int], values: Sequence[int]) -> Mapping[int, int]:
    return {v: f(v) for v in values}


deck = Deck()
print(len(deck), deck[0], deck[-1], list(deck[:3]), "AS" in deck, deck.index("KH"), deck.count("2C"), list(reversed(deck[:2])))
print(apply(lambda x: x ** 2, range(4)), isinstance({}, Mapping), isinstance([], collections.abc.Sequence), isinstance("", collections.abc.Iterable))
print(apply.__annotations__, isinstance(deck, Sequence), issubclass(dict, collections.abc.MutableMapping))
first, second, *rest = deck[:5]
print(first, second, rest, sorted(deck, key=lambda c: (Deck.ranks.index(c[:-1]), c[-1]))[:4])
