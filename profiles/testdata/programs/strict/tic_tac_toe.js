const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const winner = (b) => LINES.map(([x, y, z]) => (b[x] !== ' ' && b[x] === b[y] && b[y] === b[z] ? b[x] : null)).find(Boolean) ?? null;
const cache = new Map();
function minimax(board, player) {
  const key = board + player;
  if (cache.has(key)) return cache.get(key);
  const won = winner(board);
  let result;
  if (won || !board.includes(' ')) result = { score: won === 'X' ? 1 : won === 'O' ? -1 : 0, move: -1 };
  else {
    result = { score: player === 'X' ? -2 : 2, move: -1 };
    for (let i = 0; i < 9; i++) {
      if (board[i] !== ' ') continue;
      const { score } = minimax(board.slice(0, i) + player + board.slice(i + 1), player === 'X' ? 'O' : 'X');
      if (player === 'X' ? score > result.score : score < result.score) result = { score, move: i };
    }
  }
  cache.set(key, result);
  return result;
}
let board = ' '.repeat(9), player = 'X';
while (!winner(board) && board.includes(' ')) {
  const { move } = minimax(board, player);
  board = board.slice(0, move) + player + board.slice(move + 1);
  console.log(board.replaceAll(' ', '.').match(/.{3}/g).join('|'));
  player = player === 'X' ? 'O' : 'X';
}
console.log(winner(board) ?? 'draw', cache.size);
