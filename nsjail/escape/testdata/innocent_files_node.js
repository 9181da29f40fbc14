// technique: files in the working directory
// family: innocents
// innocent: yes
// policy: relaxed
const fs = require('fs');
const os = require('os');
const path = require('path');
(async () => {
  const dir = fs.mkdtempSync(path.join(process.cwd(), 'x-'));
  fs.writeFileSync(path.join(dir, 'a'), 'one\n');
  await fs.promises.appendFile(path.join(dir, 'a'), 'two\n');
  fs.copyFileSync(path.join(dir, 'a'), path.join(dir, 'b'));
  fs.renameSync(path.join(dir, 'b'), path.join(dir, 'c'));
  const names = (await fs.promises.readdir(dir)).join();
  const text = await new Promise((done, fail) => {
    let all = '';
    fs.createReadStream(path.join(dir, 'c'), 'utf8').on('data', (d) => { all += d; }).on('end', () => done(all)).on('error', fail);
  });
  fs.rmSync(dir, { recursive: true });
  (names === 'a,c' && text === 'one\ntwo\n' && !fs.existsSync(dir) && os.cpus() ? won : held)(names);
})();
