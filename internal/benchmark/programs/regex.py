import re

seed, words = 42, []
for _ in range(20000):
    seed = (seed * 1103515245 + 12345) % 2147483648
    words.append("user%d@host%d.example.com" % (seed % 1000, seed % 77) if seed % 3 else "plain-%x" % seed)
text = " ".join(words)
mail = re.compile(r"\b([a-z]+)(\d+)@((?:[a-z0-9]+\.)+com)\b")
dashed = re.compile(r"(\w+)-([0-9a-f]{2})([0-9a-f]*)")
found = 0
for _ in range(78):
    found += len(mail.findall(text))
    found += len(dashed.sub(r"\3-\2-\1", text))
print(found)
