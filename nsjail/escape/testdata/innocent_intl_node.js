// technique: numbers, dates and order by language
// family: innocents
// innocent: yes
const number = new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5);
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Asia/Tokyo' }).format(new Date(0));
const order = ['ä', 'z', 'a'].sort(new Intl.Collator('de').compare).join('');
const ok = number.startsWith('1.234,50') && date === '1 January 1970' && order === 'aäz';
(ok ? won : held)(`${date}, ${order}`);
