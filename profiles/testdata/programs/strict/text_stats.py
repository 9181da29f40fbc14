import re
from collections import Counter
from textwrap import fill, indent

TEXT = """It was the best of times, it was the worst of times, it was the age of wisdom,
it was the age of foolishness, it was the epoch of belief..."""

words = re.findall(r"[a-z']+", TEXT.lower())
counts = Counter(words)
print(f"{len(words)} words, {len(counts)} different")
for word, n in counts.most_common(5):
    print(f"{word:>8}: {n:>2} {n / len(words):6.1%}")
longest = max(counts, key=lambda w: (len(w), w))
print("longest:", longest, "| by initial:", dict(sorted(Counter(w[0] for w in words).items())))
print(indent(fill(TEXT, width=40), "> "))
print(re.sub(r"\b(\w)(\w*)", lambda m: m.group(1).upper() + m.group(2), "title case this"))
