let record = { items: [], total: null, note: 'grüße "quoted"\n'.repeat(20) };
for (let i = 0; i < 500; i++) {
  record.items.push({ id: i, name: `item ${i}`, price: i * 1.25, tags: ["a", "b", String(i)], on: i % 2 === 0 });
}
let length = 0;
for (let i = 0; i < 4500; i++) {
  const text = JSON.stringify(record);
  length += text.length;
  record = JSON.parse(text);
}
console.log(length);
