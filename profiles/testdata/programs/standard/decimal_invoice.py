from decimal import Decimal, getcontext, localcontext, ROUND_HALF_EVEN, ROUND_UP, InvalidOperation
from fractions import Fraction
import math

getcontext().prec = 28
CENT = Decimal("0.01")
lines = [("Consulting", "12.5", "95.00"), ("Hosting", "1", "19.99"), ("Coffee", "37", "1.15")]
net = Decimal(0)
for name, quantity, price in lines:
    total = (Decimal(quantity) * Decimal(price)).quantize(CENT)
    net += total
    print(f"{name:<12}{quantity:>6} x {price:>8} = {total:>10,.2f}")
vat = (net * Decimal("0.19")).quantize(CENT, rounding=ROUND_HALF_EVEN)
print(f"net {net:,} vat {vat} gross {net + vat:,.2f}")
print(Decimal("1") / 7, Decimal(2).sqrt(), Decimal("1e3").normalize(), Decimal(0.1), Decimal("0.1") + Decimal("0.2") == Decimal("0.3"))
with localcontext() as ctx:
    ctx.prec, ctx.rounding = 5, ROUND_UP
    print(Decimal(1) / 3, ctx.prec)
try:
    Decimal("abc")
except InvalidOperation as e:
    print(type(e).__name__)
print(sum((Fraction(1, n) for n in range(1, 8)), Fraction(0)), Fraction("0.125"), Fraction(math.pi).limit_denominator(1000))
shares = [Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)]
print([f"{s} = {float(s):.3f}" for s in shares], sum(shares) == 1, max(shares) - min(shares), Fraction(7, 3) // 1, round(Fraction(7, 3), 2))
