let seed = 42;
const words = [];
for (let i = 0; i < 20000; i++) {
  seed = (seed * 69069 + 12345) % 2147483648;
  words.push(seed % 3 ? `user${seed % 1000}@host${seed % 77}.example.com` : `plain-${seed.toString(16)}`);
}
const text = words.join(" ");
let found = 0;
for (let i = 0; i < 350; i++) {
  for (const match of text.matchAll(/\b([a-z]+)(\d+)@((?:[a-z0-9]+\.)+com)\b/g)) found += match[1].length;
  found += text.replace(/(\w+)-([0-9a-f]{2})([0-9a-f]*)/g, "$3-$2-$1").length;
}
console.log(found);
