# technique: megabytes of output
# family: C5
# severity: M
# layers: supervisor
# verdict: completed
# expect: status=succeeded, exit_code=0, stdout_truncated=true, result_json=null
won("about to write 5 MiB")
for _ in range(50):
    print("x" * 100_000)
