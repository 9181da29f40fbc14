seed, numbers = 7, []
for _ in range(200000):
    seed = (seed * 1103515245 + 12345) % 2147483648
    numbers.append(seed)
check = 0
for turn in range(7):
    plain = sorted(numbers)
    keyed = sorted(numbers, key=lambda n: (n % 1000, -n))
    check += plain[turn] + keyed[turn]
    numbers = [(n * 31 + turn) % 2147483648 for n in numbers]
print(check)
