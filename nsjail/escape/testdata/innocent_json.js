// technique: JSON and array methods
// family: innocents
// innocent: yes
const total = [1, 2, 3].map((x) => x * x).reduce((a, b) => a + b);
if (JSON.stringify({ total }) === '{"total":14}') won('computed'); else held('wrong result');
