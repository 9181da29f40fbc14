prices = {"apple": 3}
print("looking up a pear")
print(prices["pear"])
