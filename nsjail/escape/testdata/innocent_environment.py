# technique: what a program asks of its surroundings
# family: innocents
# innocent: yes
# policy: relaxed
import getpass
import locale
import os
import platform
import shutil
import sys
import time

ok = sys.version_info >= (3, 8) and os.cpu_count() >= 1 and platform.system() == "Linux" and os.getcwd() == os.path.realpath(os.getcwd())
ok = ok and shutil.disk_usage(".").free > 0 and time.process_time() >= 0 and sys.getrecursionlimit() >= 1000 and os.environ.get("HOME")
(won if ok else held)(platform.machine())
