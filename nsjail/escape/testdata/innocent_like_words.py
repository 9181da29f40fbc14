# technique: names of blocked things as words, attributes, keys and methods
# family: innocents
# innocent: yes
import re

class Door:
    def __init__(self):
        self.open, self.process, self.system = False, "steel", "metric"

    def compile(self, source, exec=None):
        return {"open": self.open, "eval": source, "exec": exec, "import": "os", "sys": 1}

pattern = re.compile(r"^(?:import|from)\s+(os|sys|subprocess)\b")
text = "Image.open('x.png'); os.system('ls'); __import__('os'); eval(input()); open('/etc/passwd')"
door = Door()
door.open = True
answer = door.compile("1 + 1", exec="later")
process, os, sys = "a process of thinking", ["linux"], {"modules": 1}
ok = pattern.match("import os") and answer["open"] and "eval" in text and sys["modules"] == 1 and os[0] == "linux" and door.process
(won if ok else held)(process)
