class Room {
  constructor(name, { exits = {}, items = [] } = {}) { Object.assign(this, { name, exits, items: new Set(items) }); }
}
const rooms = { hall: new Room('Hall', { exits: { north: 'cellar', east: 'attic' }, items: ['lamp'] }), cellar: new Room('Cellar', { exits: { south: 'hall' }, items: ['rope', 'coin'] }), attic: new Room('Attic', { exits: { west: 'hall' } }) };
class Game {
  #at = rooms.hall; #bag = new Set(); moves = 0;
  static commands = { go: 'move', take: 'pick', look: 'describe', bag: 'list' };
  play(line) {
    this.moves++;
    const [verb, ...rest] = line.toLowerCase().split(/\s+/);
    const method = Game.commands[verb];
    return method ? this[method](rest.join(' ')) : `I cannot ${verb}.`;
  }
  move(direction) {
    const next = this.#at.exits[direction];
    if (!next) return `No way ${direction}.`;
    this.#at = rooms[next];
    return this.describe();
  }
  pick(item) {
    if (!this.#at.items.delete(item)) return `There is no ${item}.`;
    this.#bag.add(item);
    return `Taken: ${item}.`;
  }
  describe() { return `${this.#at.name}: ${[...this.#at.items].join(', ') || 'nothing'}; exits ${Object.keys(this.#at.exits)}`; }
  list() { return [...this.#bag].sort().join(' and ') || 'empty'; }
}
const game = new Game();
for (const line of ['look', 'take lamp', 'go up', 'go north', 'take coin', 'take gold', 'dance', 'bag']) console.log(`> ${line}\n${game.play(line)}`);
console.log(game.moves);
