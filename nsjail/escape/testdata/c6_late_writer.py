# technique: writes after the interpreter's end
# family: C6
# severity: H
# layers: supervisor, verdict
# verdict: exception
# expect: status=failed, exit_code=1
import atexit

won("there is more to come at exit")
atexit.register(print, '{"status": "succeeded"}')

class Last:
    def __del__(self):
        print('{"status": "succeeded"}')

kept = Last()
raise ValueError("the truth")
