class InsufficientFunds(Exception):
    def __init__(self, needed, available):
        super().__init__(f"need {needed:.2f}, have {available:.2f}")
        self.needed, self.available = needed, available


class Account:
    interest = 0.0
    _next = 1000

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.__balance = balance
        self.number = Account._next
        Account._next += 1
        self.history = []

    @property
    def balance(self):
        return self.__balance

    @balance.setter
    def balance(self, value):
        if value < 0:
            raise InsufficientFunds(self.__balance - value, self.__balance)
        self.history.append((self.__balance, value))
        self.__balance = value

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        return self

    def withdraw(self, amount):
        self.balance -= amount
        return self

    @staticmethod
    def valid(number):
        return isinstance(number, int) and number >= 1000

    def __repr__(self):
        return f"<{self.__class__.__name__} {self.number} {self.owner}: {self.balance:.2f}>"

    def __lt__(self, other):
        return self.balance < other.balance


class Savings(Account):
    interest = 0.05

    def accrue(self):
        self.deposit(self.balance * self.interest)
        return self

    def withdraw(self, amount):
        return super().withdraw(amount + 1)


a, b = Account("Ann"), Savings("Bob", 200)
print(a.deposit(100).withdraw(30), b.accrue().withdraw(9))
for action in (lambda: a.withdraw(1000), lambda: a.deposit(-1)):
    try:
        action()
    except (InsufficientFunds, ValueError) as e:
        print(type(e).__name__, e, e.args)
print(sorted([b, a]), Account.valid(a.number), a.history, isinstance(b, Account), Savings.__name__)
