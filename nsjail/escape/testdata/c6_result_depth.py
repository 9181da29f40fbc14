# technique: a result nested a hundred thousand deep
# family: C6
# severity: M
# layers: result
# verdict: completed
# expect: status=succeeded, result_json=null
won("a decoder that recurses is about to meet its stack")
print("[" * 100_000 + "]" * 100_000)
