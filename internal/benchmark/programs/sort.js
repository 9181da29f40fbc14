let seed = 7;
let numbers = [];
for (let i = 0; i < 200000; i++) {
  seed = (seed * 69069 + 12345) % 2147483648;
  numbers.push(seed);
}
let check = 0;
for (let turn = 0; turn < 9; turn++) {
  const plain = numbers.slice().sort((a, b) => a - b);
  const keyed = numbers.slice().sort((a, b) => a % 1000 - b % 1000 || b - a);
  check += plain[turn] + keyed[turn];
  numbers = numbers.map((n) => (n * 31 + turn) % 2147483648);
}
console.log(check);
