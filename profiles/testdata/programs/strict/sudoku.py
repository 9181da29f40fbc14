from typing import List, Optional, Tuple

Board = List[List[int]]
PUZZLE = """
53..7....
6..195...
.98....6.
8...6...3
4..8.3..1
7...2...6
.6....28.
...419..5
....8..79
"""


def parse(text: str) -> Board:
    return [[0 if c == "." else int(c) for c in line] for line in text.split()]


def options(board: Board, r: int, c: int) -> set:
    used = set(board[r]) | {board[i][c] for i in range(9)}
    br, bc = r // 3 * 3, c // 3 * 3
    used |= {board[i][j] for i in range(br, br + 3) for j in range(bc, bc + 3)}
    return set(range(1, 10)) - used


def most_constrained(board: Board) -> Optional[Tuple[int, int, set]]:
    empty = [(r, c, options(board, r, c)) for r in range(9) for c in range(9) if not board[r][c]]
    return min(empty, key=lambda e: len(e[2]), default=None)


def solve(board: Board) -> bool:
    cell = most_constrained(board)
    if cell is None:
        return True
    r, c, choices = cell
    for n in sorted(choices):
        board[r][c] = n
        if solve(board):
            return True
    board[r][c] = 0
    return False


if __name__ == "__main__":
    board = parse(PUZZLE)
    print(solve(board))
    for row in board:
        print("".join(map(str, row)))
    print(all(sorted(col) == list(range(1, 10)) for col in zip(*board)))
