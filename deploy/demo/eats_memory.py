hoard = []
while True:
    hoard.append("x" * 1_000_000)
