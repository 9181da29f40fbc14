# technique: a thread goes on after the program's end
# family: C5
# severity: H
# layers: supervisor
# verdict: wall_timeout
# timeout_ms: 300
# within_ms: 5000
import threading
import time

def late():
    time.sleep(0.9)
    won("still writing after 0.9 s")

threading.Thread(target=late).start()
