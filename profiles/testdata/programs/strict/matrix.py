import math
import random


class Matrix:
    def __init__(self, rows):
        self.rows = [list(map(float, row)) for row in rows]
        self.shape = (len(self.rows), len(self.rows[0]))

    @classmethod
    def identity(cls, n):
        return cls([[float(i == j) for j in range(n)] for i in range(n)])

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, col)) for col in columns] for row in self.rows])

    def __eq__(self, other):
        return all(math.isclose(a, b, abs_tol=1e-9) for r, s in zip(self.rows, other.rows) for a, b in zip(r, s))

    def __getitem__(self, index):
        i, j = index
        return self.rows[i][j]

    @property
    def T(self):
        return Matrix(zip(*self.rows))

    def det(self):
        m, sign = [row[:] for row in self.rows], 1.0
        n = len(m)
        for c in range(n):
            pivot = max(range(c, n), key=lambda r: abs(m[r][c]))
            if m[pivot][c] == 0:
                return 0.0
            if pivot != c:
                m[c], m[pivot], sign = m[pivot], m[c], -sign
            for r in range(c + 1, n):
                f = m[r][c] / m[c][c]
                m[r] = [x - f * y for x, y in zip(m[r], m[c])]
        return sign * math.prod(m[i][i] for i in range(n))

    def __str__(self):
        return "\n".join(" ".join(f"{x:8.3f}" for x in row) for row in self.rows)


random.seed(42)
a = Matrix([[random.randint(-5, 5) for _ in range(3)] for _ in range(3)])
print(a)
print(a @ Matrix.identity(3) == a, round(a.det(), 6), round(a.T.det(), 6), a[0, 2], a.shape)
