// technique: regular expressions, templates, and text of many scripts
// family: innocents
// innocent: yes
const { groups } = /(?<year>\d{4})-(?<month>\d\d)/u.exec('on 2024-05');
const swapped = 'a-b a-c'.replace(/(\w)-(\w)/g, '$2-$1');
const parts = [...'日本🙂'].length;
const ok = groups.year === '2024' && swapped === 'b-a c-a' && parts === 3 && 'é'.normalize('NFD').length === 2 && 'x'.padStart(3, '.') === '..x' && `${1 + 1}` === '2' && /(?<=\$)\d+/.exec('$42')[0] === '42';
(ok ? won : held)(swapped);
