# technique: decimal numbers and fractions
# family: innocents
# innocent: yes
# policy: relaxed
import decimal
import fractions

decimal.getcontext().prec = 50
root = decimal.Decimal(2).sqrt()
ok = str(root).startswith("1.4142135623730950488016887242096980785696718753769") and fractions.Fraction(1, 3) + fractions.Fraction(1, 6) == fractions.Fraction(1, 2)
(won if ok else held)(root)
