# technique: private names, name mangling and a class's own names
# family: innocents
# innocent: yes
class Account:
    __count = 0

    def __init__(self):
        self.__balance = 10
        self._log = []
        Account.__count += 1

    @property
    def balance(self):
        return self.__balance

    @balance.setter
    def balance(self, value):
        self._log.append((self.__balance, value))
        self.__balance = value

    @classmethod
    def _count(cls):
        return cls.__count

    @staticmethod
    def __helper(x):
        return x * 2

    def double(self):
        self.balance = self.__helper(self.balance)
        return self

a = Account().double()
ok = a.balance == 20 and a._log == [(10, 20)] and Account._count() == 1 and a._Account__balance == 20
ok = ok and Account.__name__ == "Account" and a.__class__ is Account and Account.double.__name__ == "double" and __name__ == "__main__"
(won if ok else held)(a.balance)
