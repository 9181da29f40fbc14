// technique: what a program asks of its surroundings
// family: innocents
// innocent: yes
// policy: relaxed
const os = require('os');
const ok = process.platform === 'linux' && process.versions.node && process.memoryUsage().rss > 0 && os.availableParallelism() >= 1 && process.hrtime.bigint() > 0n && process.cwd() && os.tmpdir() && performance.now() > 0 && process.env.HOME;
process.stdout.write('to stdout\n');
process.stderr.write('to stderr\n');
(ok ? won : held)(process.version);
