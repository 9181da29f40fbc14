const escapeHtml = (s) => s.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const inline = (s) => escapeHtml(s).replace(/`([^`]+)`/g, '<code>$1</code>').replace(/\*\*(.+?)\*\*/g, '<b>$1</b>').replace(/\*(.+?)\*/g, '<i>$1</i>').replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, t, u) => `<a href="${encodeURI(u)}">${t}</a>`);
function render(text) {
  const out = [], lists = [];
  const close = (depth = 0) => { while (lists.length > depth) out.push(`</${lists.pop()}>`); };
  let code = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) { if (code) { out.push(`<pre>${escapeHtml(code.join('\n'))}</pre>`); code = null; } else { close(); code = []; } continue; }
    if (code) { code.push(line); continue; }
    let m;
    if ((m = /^(#{1,6})\s+(.*)$/.exec(line))) { close(); out.push(`<h${m[1].length}>${inline(m[2])}</h${m[1].length}>`); }
    else if ((m = /^(\s*)([-*]|\d+\.)\s+(.*)$/.exec(line))) {
      const depth = m[1].length / 2 + 1, tag = /\d/.test(m[2]) ? 'ol' : 'ul';
      close(depth);
      while (lists.length < depth) { lists.push(tag); out.push(`<${tag}>`); }
      out.push(`<li>${inline(m[3])}</li>`);
    } else if (line.trim()) { close(); out.push(`<p>${inline(line)}</p>`); }
  }
  close();
  return out.join('\n');
}
console.log(render(`# Title & more
Some *text* with **bold**, \`code <b>\` and [a link](http://x/y z).
- one
  - nested
- two
1. first
\`\`\`
if (a < b) { return "q"; }
\`\`\`
The end.`));
const slug = (s) => s.normalize('NFKD').replace(/[\u0300-\u036f]/g, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
const wrap = (s, n) => s.split(' ').reduce((ls, w) => ((ls.at(-1) + ' ' + w).trim().length <= n ? [...ls.slice(0, -1), (ls.at(-1) + ' ' + w).trim()] : [...ls, w]), ['']);
console.log(slug('Crème Brûlée — déjà vu!'), wrap('the quick brown fox jumps over', 10), [...'aAbB'].sort().join(''), 'title case me'.replace(/\b\w/g, (c) => c.toUpperCase()));
const table = (rows) => { const ws = rows[0].map((_, i) => Math.max(...rows.map((r) => String(r[i]).length))); return rows.map((r) => r.map((c, i) => (typeof c === 'number' ? String(c).padStart(ws[i]) : String(c).padEnd(ws[i]))).join(' | ')).join('\n'); };
console.log(table([['name', 'n'], ['tea', 3], ['coffee', 12]]));
