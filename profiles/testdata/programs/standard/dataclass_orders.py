from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, field, fields, replace, FrozenInstanceError, InitVar, KW_ONLY
from datetime import date
from decimal import Decimal, ROUND_HALF_UP
from typing import ClassVar, Optional
import json


@dataclass(frozen=True, slots=True)
class Money:
    amount: Decimal
    currency: str = "EUR"

    def __post_init__(self):
        object.__setattr__(self, "amount", Decimal(self.amount).quantize(Decimal("0.01"), ROUND_HALF_UP))

    def __add__(self, other: Money) -> Money:
        return replace(self, amount=self.amount + other.amount)


@dataclass
class Line:
    sku: str
    quantity: int
    price: Money

    @property
    def total(self) -> Money:
        return Money(self.price.amount * self.quantity, self.price.currency)


@dataclass
class Order:
    number: int
    lines: list[Line] = field(default_factory=list)
    _: KW_ONLY
    placed: Optional[date] = None
    discount: InitVar[int] = 0
    factor: Decimal = field(init=False, default=Decimal(1))
    orders: ClassVar[int] = 0

    def __post_init__(self, discount):
        self.factor = (Decimal(100) - discount) / 100
        Order.orders += 1

    def total(self) -> Money:
        gross = sum((l.total for l in self.lines), start=Money(0))
        return Money(gross.amount * self.factor)


order = Order(7, [Line("A", 3, Money("9.995")), Line("B", 1, Money(5))], placed=date(2024, 5, 1), discount=10)
print(order.total(), order)
print([f.name for f in fields(Order)], astuple(Money(1)), Order.orders)
print(json.dumps(asdict(order), default=str))
try:
    Money(1).amount = 2
except (FrozenInstanceError, AttributeError) as e:
    print(type(e).__name__)
print(Money(1) == Money("1.00"), len({Money(1), Money(1)}), replace(order.lines[0], quantity=9).total)
