// technique: digests, ciphers and keys derived beside the main thread
// family: innocents
// innocent: yes
const crypto = require('crypto');
const digest = crypto.createHash('sha256').update('abc').digest('hex');
const cipher = crypto.createCipheriv('aes-256-gcm', Buffer.alloc(32, 1), Buffer.alloc(12, 2));
const sealed = Buffer.concat([cipher.update('secret'), cipher.final()]);
crypto.pbkdf2('p', 's', 1000, 16, 'sha256', (error, key) => {
  const ok = !error && digest.startsWith('ba7816bf') && sealed.length === 6 && key.length === 16 && crypto.randomUUID().length === 36;
  (ok ? won : held)(digest.slice(0, 8));
});
