# technique: text in many scripts on stdout and stderr
# family: innocents
# innocent: yes
words = ["Straße", "日本語", "עברית", "🙂", "e\u0301"]
print(*words)
ok = "ß".upper() == "SS" and "日本語"[::-1] == "語本日" and len("🙂".encode()) == 4 and sorted(words)[0] == "Straße"
(won if ok else held)("%d words" % len(words))
