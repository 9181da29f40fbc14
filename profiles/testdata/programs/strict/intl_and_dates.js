const d = new Date(Date.UTC(2024, 1, 29, 12, 30, 45, 123));
console.log(d.toISOString(), d.getTime(), d.getUTCDay(), JSON.stringify({ d }), new Date('2024-02-30T00:00:00Z').getUTCDate(), Number.isNaN(+new Date('x')));
console.log(new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(1234567.891), new Intl.NumberFormat('de-DE').format(1234.5), (0.256).toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 }));
console.log(new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(d), d.toLocaleDateString('en-US', { timeZone: 'UTC' }), d.toLocaleTimeString('de-DE', { timeZone: 'Europe/Berlin' }));
console.log(new Intl.PluralRules('en', { type: 'ordinal' }).select(22), new Intl.ListFormat('en').format(['a', 'b', 'c']), new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day'));
console.log(['ä', 'a', 'z'].sort(new Intl.Collator('de').compare), ['10', '9', '1'].sort(new Intl.Collator('en', { numeric: true }).compare), 'ß'.localeCompare('ss', 'de'));
const addDays = (date, n) => new Date(date.getTime() + n * 864e5);
const isLeap = (y) => new Date(Date.UTC(y, 1, 29)).getUTCMonth() === 1;
console.log(addDays(d, 1).toISOString().slice(0, 10), [1900, 2000, 2023, 2024].filter(isLeap), Math.round((Date.UTC(2024, 11, 25) - d) / 864e5));
function businessDays(from, to) {
  let n = 0;
  for (let t = from; t <= to; t = addDays(t, 1)) if (![0, 6].includes(t.getUTCDay())) n++;
  return n;
}
console.log(businessDays(new Date('2024-01-01'), new Date('2024-12-31')), typeof Date.now(), new Date(0).toUTCString());
const parts = Object.fromEntries(new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', hour: 'numeric', hour12: false, weekday: 'short' }).formatToParts(d).map((p) => [p.type, p.value]));
console.log(parts.weekday, parts.hour, [...new Intl.Segmenter('en', { granularity: 'word' }).segment('Hello big world')].filter((s) => s.isWordLike).map((s) => s.segment));
