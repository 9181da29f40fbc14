# technique: output that is no text
# family: C6
# severity: M
# layers: capture
# verdict: completed
# expect: status=succeeded, result_json=null
import os

won("NUL, half characters, escape sequences and marks of direction follow")
os.write(1, bytes(range(256)) + b"\xed\xa0\x80\xf0\x9f\x1b]0;title\x07\x1b[2J\xe2\x80\xae" + bytes(1000))
os.write(2, b"\xff\xfe\x00\x1b[31m")
