# technique: crashes the interpreter by recursion in C
# family: C6
# severity: M
# layers: policy, verdict
# verdict: signal
# expect: status=failed, signal=SIGSEGV
import sys

won("a reader of signals sees a failure of the sandbox")
sys.setrecursionlimit(1 << 30)

class Deep:
    def __getattr__(self, name):
        return self.again

Deep().again
