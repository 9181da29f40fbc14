import time

for n in range(3):
    print(n, flush=True)
    time.sleep(0.3)
