// technique: generators, async generators and iterators of the program's own
// family: innocents
// innocent: yes
function* walk(node) { if (!node) return 0; yield* walk(node.left); const sent = yield node.value; if (sent) yield sent; yield* walk(node.right); return 1; }
async function* slowly(items) { for (const item of items) { await null; yield item * 2; } }
const tree = { value: 2, left: { value: 1 }, right: { value: 3 } };
(async () => {
  const found = [...walk(tree)];
  for await (const x of slowly([...found])) found.push(x);
  const g = walk(tree);
  g.next(); found.push(g.next('again').value, g.return(9).value);
  (found.join() === '1,2,3,2,4,6,again,9' ? won : held)(found);
})();
