#!/usr/bin/env node
'use strict';
const start = process.hrtime.bigint();
process.stdout.write('no newline');
process.stdout.write('\n');
console.log(process.argv.length, typeof process.version, process.platform, typeof process.memoryUsage().heapUsed, process.hrtime.bigint() >= start, typeof process.uptime());
process.on('exit', (code) => console.log('exit with', code));
const args = process.argv.slice(2);
console.log(args, typeof performance.now(), require.main === module, typeof __filename, typeof exports, module.exports === exports);
if (require.main === module) main();
function main() {
  const timer = setTimeout(() => console.log('never'), 10000);
  clearTimeout(timer);
  console.time?.call && console.log('has timers');
  process.exitCode = 0;
}
