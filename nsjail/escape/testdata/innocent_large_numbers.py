# technique: a second of pure computing
# family: innocents
# innocent: yes
sieve = bytearray([1]) * 2_000_000
sieve[:2] = b"\0\0"
for i in range(2, 1415):
    if sieve[i]:
        sieve[i * i::i] = bytes(len(range(i * i, 2_000_000, i)))
digits = len(str(2 ** 10_000))
(won if sum(sieve) == 148933 and digits == 3011 else held)("%d primes" % sum(sieve))
