# technique: output whose cut goes through a character
# family: C6
# severity: M
# layers: capture
# verdict: completed
# expect: status=succeeded, stdout_truncated=true
won("half a character on each side of the cut")
print("x" + "€" * 200_000)
