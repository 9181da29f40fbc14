class Matrix {
  static identity(n) { return new Matrix(Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => +(i === j)))); }
  constructor(rows) { this.rows = rows.map((r) => Float64Array.from(r)); }
  get shape() { return [this.rows.length, this.rows[0].length]; }
  transpose() { return new Matrix([...this.rows[0].keys()].map((j) => this.rows.map((r) => r[j]))); }
  times(other) { const t = other.transpose(); return new Matrix(this.rows.map((r) => t.rows.map((c) => r.reduce((s, x, k) => s + x * c[k], 0)))); }
  det() {
    const m = this.rows.map((r) => [...r]);
    let d = 1;
    for (let c = 0; c < m.length; c++) {
      const p = m.findIndex((r, i) => i >= c && r[c] !== 0);
      if (p < 0) return 0;
      if (p !== c) { [m[p], m[c]] = [m[c], m[p]]; d = -d; }
      d *= m[c][c];
      for (let r = c + 1; r < m.length; r++) { const f = m[r][c] / m[c][c]; m[r] = m[r].map((x, k) => x - f * m[c][k]); }
    }
    return d;
  }
  toString() { return this.rows.map((r) => [...r].map((x) => x.toFixed(2).padStart(7)).join(' ')).join('\n'); }
}
const a = new Matrix([[2, 1], [5, 3]]);
console.log(`${a.times(a)}\n--\n${a.transpose()}`, a.det(), a.shape, `${a.times(Matrix.identity(2))}` === `${a}`);
const data = [2, 4, 4, 4, 5, 5, 7, 9];
const mean = (xs) => xs.reduce((s, x) => s + x, 0) / xs.length;
const median = (xs) => { const s = [...xs].sort((p, q) => p - q), m = s.length >> 1; return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2; };
const deviation = (xs) => Math.sqrt(mean(xs.map((x) => (x - mean(xs)) ** 2)));
const quantile = (xs, q) => { const s = [...xs].sort((p, r) => p - r), i = (s.length - 1) * q, f = Math.floor(i); return s[f] + (s[Math.ceil(i)] - s[f]) * (i - f); };
const regression = (ps) => { const mx = mean(ps.map(([x]) => x)), my = mean(ps.map(([, y]) => y)); const k = ps.reduce((s, [x, y]) => s + (x - mx) * (y - my), 0) / ps.reduce((s, [x]) => s + (x - mx) ** 2, 0); return { slope: k, intercept: my - k * mx }; };
console.log(mean(data), median(data), deviation(data), quantile(data, 0.9), regression([[1, 2], [2, 4.1], [3, 5.9]]));
const histogram = data.reduce((h, x) => { h[x] = (h[x] ?? 0) + 1; return h; }, {});
for (const [k, v] of Object.entries(histogram)) console.log(k.padStart(3), '█'.repeat(v));
const convolve = (xs, ks) => xs.slice(0, xs.length - ks.length + 1).map((_, i) => ks.reduce((s, k, j) => s + k * xs[i + j], 0));
console.log(convolve([1, 2, 3, 4, 5], [1, 0, -1]), [..."0123456789"].map(Number).filter((n, i, all) => all.every((m) => m < 2 || m >= n || n % m)).slice(2));
