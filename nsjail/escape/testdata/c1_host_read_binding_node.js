// technique: read a file of the host through Node's internal binding
// family: C1
// severity: C
// layers: policy, mount_namespace, landlock
try {
  const { internalModuleReadJSON, open, read } = process.binding('fs');
  if (internalModuleReadJSON === undefined && open === undefined) throw new Error('no such binding');
  const fd = open('@READABLE@', 0, 0o666, undefined, {});
  const buffer = Buffer.alloc(100);
  const count = read(fd, buffer, 0, 100, -1, undefined, {});
  const text = buffer.toString('utf8', 0, count);
  if (text === '@CANARY@') won(text); else held('read ' + JSON.stringify(text));
} catch (e) { held(e); }
