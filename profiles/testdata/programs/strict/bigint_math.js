const gcd = (a, b) => (b ? gcd(b, a % b) : a);
const factorial = (n) => (n < 2n ? 1n : n * factorial(n - 1n));
const modPow = (base, exp, mod) => {
  let result = 1n;
  for (base %= mod; exp > 0n; exp >>= 1n, base = (base * base) % mod) if (exp & 1n) result = (result * base) % mod;
  return result;
};
function isProbablePrime(n, bases = [2n, 3n, 5n, 7n, 11n]) {
  if (n < 2n) return false;
  for (const p of bases) if (n % p === 0n) return n === p;
  let d = n - 1n, r = 0;
  while (!(d & 1n)) { d >>= 1n; r++; }
  return bases.every((a) => {
    let x = modPow(a, d, n);
    if (x === 1n || x === n - 1n) return true;
    for (let i = 1; i < r; i++) if ((x = (x * x) % n) === n - 1n) return true;
    return false;
  });
}
console.log(gcd(462, 1071), factorial(25n), 2n ** 100n, isProbablePrime(2n ** 61n - 1n), isProbablePrime(561n));
console.log(BigInt.asUintN(8, 257n), BigInt('0xff'), typeof 1n, 5n / 2n, -7n % 3n, 1n < 2, 2n == 2, [3n, 1n, 2n].sort().join());
try { 1n + 1; } catch (e) { console.log(e.name, e.message); }
console.log(0.1 + 0.2, Number.MAX_SAFE_INTEGER + 2, (25).toString(2), parseInt('ff', 16), (255).toString(36), Number('0b101'), 7 / 0, -7 % 3, 2 ** -1, ~~-3.7, 5 >>> 1, Math.fround(5.5), Math.clz32(1), Math.hypot(3, 4), Math.sign(-3), Math.cbrt(27));
console.log(Number.EPSILON > Math.abs(0.3 - (0.1 + 0.2)), (1234.5678).toFixed(2), (0.000001234).toExponential(2), (1234.5678).toPrecision(6), Number.isInteger(5.0), parseFloat('3.14abc'), isNaN('x'), +'', +[], +{}, +true, null ?? 'd', 0 || 'e', '' && 'f');
const perfect = [];
for (let n = 2; n < 500; n++) if ([...Array(n - 1).keys()].map((k) => k + 1).filter((k) => n % k === 0).reduce((a, b) => a + b, 0) === n) perfect.push(n);
console.log(perfect, [...'1011'].reduce((n, b) => n * 2 + +b, 0), [1, 10, 2].sort(), [3, 1, 2].sort((a, b) => b - a));
