# technique: whole numbers, fractions and statistics
# family: innocents
# innocent: yes
import math
import statistics

primes = [n for n in range(2, 100) if all(n % d for d in range(2, int(math.sqrt(n)) + 1))]
ok = len(primes) == 25 and statistics.median(primes) == 41 and math.comb(50, 25) == 126410606437752 and pow(3, 100, 7) == 4
(won if ok else held)("%d primes" % len(primes))
