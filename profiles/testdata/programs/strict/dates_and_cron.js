const FIELDS = [['minute', 0, 59], ['hour', 0, 23], ['day', 1, 31], ['month', 1, 12], ['weekday', 0, 6]];
function parseCron(text) {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5) throw new SyntaxError(`want 5 fields, got ${parts.length}`);
  return Object.fromEntries(parts.map((part, i) => {
    const [name, low, high] = FIELDS[i];
    const values = part.split(',').flatMap((p) => {
      const m = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(p);
      if (!m) throw new SyntaxError(`${name}: ${p}`);
      const from = m[1] === undefined ? low : +m[1], to = m[1] === undefined ? high : +(m[2] ?? m[1]), step = +(m[3] ?? 1);
      return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, k) => from + k * step);
    });
    return [name, new Set(values)];
  }));
}
function* upcoming(text, from) {
  const cron = parseCron(text);
  for (let t = new Date(Math.ceil((+from + 1) / 6e4) * 6e4); ; t = new Date(+t + 6e4)) {
    if (cron.minute.has(t.getUTCMinutes()) && cron.hour.has(t.getUTCHours()) && cron.day.has(t.getUTCDate()) && cron.month.has(t.getUTCMonth() + 1) && cron.weekday.has(t.getUTCDay())) yield t;
  }
}
const first = (n, it) => { const out = []; for (const x of it) { out.push(x.toISOString()); if (out.length === n) return out; } };
console.log(first(3, upcoming('*/20 9-10 * * 1-5', new Date('2024-05-03T10:30:00Z'))), first(1, upcoming('0 0 29 2 *', new Date('2024-02-28T00:00:00Z'))));
for (const bad of ['* * *', 'x * * * *']) try { parseCron(bad); } catch (e) { console.log(e.name, e.message); }
const humanize = (ms) => [['d', 864e5], ['h', 36e5], ['m', 6e4], ['s', 1e3]].reduce(([out, rest], [u, size]) => [rest >= size ? [...out, `${Math.floor(rest / size)}${u}`] : out, rest % size], [[], ms])[0].join(' ') || '0s';
console.log(humanize(93784000), humanize(0), humanize(61e3), new Date(2024, 0, 31).getMonth(), new Date(NaN).getTime(), Date.parse('2024-02-29T00:00:00Z'));
const calendar = (y, m) => { const start = new Date(Date.UTC(y, m, 1)).getUTCDay(), days = new Date(Date.UTC(y, m + 1, 0)).getUTCDate(); const cells = [...Array(start).fill('  '), ...Array.from({ length: days }, (_, d) => String(d + 1).padStart(2))]; return cells.reduce((rows, c, k) => { (rows[(k / 7) | 0] ??= []).push(c); return rows; }, []).map((r) => r.join(' ')).join('\n'); };
console.log(calendar(2024, 1));
