// technique: a while of pure computing, typed arrays and big integers
// family: innocents
// innocent: yes
const sieve = new Uint8Array(2000000).fill(1);
let count = 0;
for (let i = 2; i < sieve.length; i++) {
  if (!sieve[i]) continue;
  count++;
  for (let j = i * i; j < sieve.length; j += i) sieve[j] = 0;
}
(count === 148933 && 2n ** 100n === 1267650600228229401496703205376n ? won : held)(`${count} primes`);
