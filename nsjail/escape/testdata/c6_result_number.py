# technique: a result that is no number for any decoder
# family: C6
# severity: M
# layers: result
# verdict: completed
# expect: status=succeeded, result_json=null
won("a lenient decoder is about to read a number that is none")
print("NaN")
