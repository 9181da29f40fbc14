import random
import string
import time


class Hangman:
    WORDS = ("python", "sandbox", "kernel")

    def __init__(self, seed, lives=6):
        self.rng = random.Random(seed)
        self.word = self.rng.choice(self.WORDS)
        self.lives, self.guessed = lives, set()

    @property
    def board(self):
        return " ".join(c if c in self.guessed else "_" for c in self.word)

    def guess(self, letter):
        if letter in self.guessed or letter not in string.ascii_lowercase:
            return False
        self.guessed.add(letter)
        if letter not in self.word:
            self.lives -= 1
        return letter in self.word

    @property
    def over(self):
        return self.lives == 0 or "_" not in self.board


start = time.time()
for seed in range(3):
    game = Hangman(seed)
    for letter in "etaoinshrdlcumwfgypbvkjxqz":
        if game.over:
            break
        game.guess(letter)
    print(seed, game.board, game.lives, "won" if "_" not in game.board else f"lost: {game.word}")
assert time.time() - start < 60
print(time.strftime("%Y-%m-%d", time.gmtime(86400 * 365)), time.strptime("2024-02-29", "%Y-%m-%d").tm_yday)
print(string.capwords("the end of it"), string.punctuation[:5], "".join(random.Random(5).choices(string.ascii_uppercase + string.digits, k=8)))
while True:
    break
else:
    print("never")
for _ in range(0):
    pass
else:
    print("no break")
