# technique: a program with a main function
# family: innocents
# innocent: yes
def main():
    data = {"alpha": 3, "beta": 1}
    for name, value in sorted(data.items(), key=lambda item: item[1]):
        print(f"{name:<8}|{value:>4}")
    return sum(data.values())

if __name__ == "__main__":
    (won if main() == 4 else held)("main ran")
