# technique: a result so long that its middle is cut out
# family: C6
# severity: M
# layers: result
# verdict: completed
# expect: status=succeeded, stdout_truncated=true, result_json=null
won("a reader of the ends would join them to a result")
print("[" + "1," * 100_000 + "1]")
