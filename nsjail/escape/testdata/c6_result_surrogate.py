# technique: a result with half a character
# family: C6
# severity: M
# layers: result
# verdict: completed
# expect: status=succeeded, result_json=null
won("an encoder is about to meet half a character")
print('"' + chr(92) + 'ud800"')
