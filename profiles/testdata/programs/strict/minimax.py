import functools
import itertools

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def winner(board):
    return next((board[a] for a, b, c in LINES if board[a] == board[b] == board[c] != " "), None)


@functools.lru_cache(maxsize=None)
def minimax(board, player):
    if w := winner(board):
        return (1 if w == "X" else -1), None
    moves = [i for i, c in enumerate(board) if c == " "]
    if not moves:
        return 0, None
    other = "O" if player == "X" else "X"
    scored = [(minimax(board[:m] + player + board[m + 1:], other)[0], m) for m in moves]
    return (max if player == "X" else min)(scored, key=lambda s: (s[0], -s[1] if player == "X" else s[1]))


def play():
    board, players = " " * 9, itertools.cycle("XO")
    while winner(board) is None and " " in board:
        player = next(players)
        move = minimax(board, player)[1]
        board = f"{board[:move]}{player}{board[move + 1:]}"
        yield board


for turn, board in enumerate(play(), 1):
    print(turn, *(board[i:i + 3].replace(" ", ".") for i in range(0, 9, 3)))
print("winner:", winner(board), minimax.cache_info().currsize)
