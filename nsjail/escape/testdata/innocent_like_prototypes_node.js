// technique: additions to the prototypes of builtins, as old programs make them
// family: innocents
// innocent: yes
Array.prototype.last = function () { return this[this.length - 1]; };
String.prototype.shout = function () { return this.toUpperCase() + '!'; };
Object.defineProperty(Number.prototype, 'double', { get() { return this * 2; } });
Function.prototype.twice = function (x) { return this(this(x)); };
const { map } = Array.prototype;
Array.prototype.map = function (...given) { return map.apply(this, given); };
const found = [[1, 2].last(), 'a'.shout(), (4).double, ((x) => x + 3).twice(1), [1, 2].map((x) => x * 2).join()];
(JSON.stringify(found) === '[2,"A!",8,7,"2,4"]' ? won : held)(found);
