# technique: recursion up to its limit, and its error
# family: innocents
# innocent: yes
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)

try:
    depth(100_000)
    held("no limit")
except RecursionError:
    (won if depth(500) == 500 else held)("a recursion error is an error like others")
