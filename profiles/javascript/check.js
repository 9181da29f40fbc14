
// The check of the syntax tree, before anything of the program runs.

// isSuspect says whether any rule could refuse something in a text. Most
// programs have nothing that the rules know and are not parsed: to load the
// parser takes longer than the rest of such a run. What escapes hide is looked
// at beside the text as it stands, where in a comment they are none: there a
// backslash does not join the next line either.
function isSuspect(code, policy) {
  return hasSuspects(code, policy) ||
    (code.includes('\\') && ['', '\n'].some((joint) => hasSuspects(unescaped(code, joint), policy)));
}

function hasSuspects(code, policy) {
  for (const word in policy.names) if (hasWord(code, word)) return true;
  return (code.includes('require') && hasRequire(code, policy)) ||
    hasImportCall(code) ||
    (code.includes('process') && hasProcess(code)) ||
    (code.includes('constructor') && /(?<![;{}]\s*)\bconstructor\b/.test(code)); // not the head of a method
}

// unescaped puts characters in the place of escapes, which are the same in
// strings, templates and names, and joint in that of escaped ends of lines.
function unescaped(code, joint) {
  const escape = /\\(?:u\{0*([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([0-3]?[0-7]{1,2})|(\r\n|[^]|$))/g;
  return code.replace(escape, (whole, point, unit, byte, octal, other) => {
    const hex = point ?? unit ?? byte;
    if (hex !== undefined) return parseInt(hex, 16) < 0x110000 ? String.fromCodePoint(parseInt(hex, 16)) : whole;
    if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
    if (/[\r\n\u2028\u2029]/.test(other)) return joint;
    return /[bfnrtv]/.test(other) ? ' ' : other;
  });
}

// hasImportCall tells import from the head of a statement, whose module the
// engine names.
const hasImportCall = (code) => code.includes('import') && /\bimport\b(?!\s*["'{*\w$])/.test(code);

// hasRequire says whether require is used for anything but allowed modules by
// their name.
function hasRequire(code, policy) {
  for (const [whole, one, two] of code.matchAll(/\brequire\b(?:\.main\b|\s*\(\s*(?:"([\w:/]+)"|'([\w:/]+)')\s*\))?/g)) {
    const name = one ?? two;
    if (whole === 'require' || (name !== undefined && isRefused(code, policy, name))) return true;
  }
  return false;
}

// isRefused says so of a module, and of one that has an export of which there is
// no copy where the text has its name.
function isRefused(code, policy, name) {
  return refusal(policy, name) !== undefined || (WITHHELD[bare(name)] ?? []).some((word) => hasWord(code, word));
}

// hasWord looks for a whole identifier, and is content with what looks so.
function hasWord(code, word) {
  for (let at = code.indexOf(word); at >= 0; at = code.indexOf(word, at + 1)) {
    if (!isPart(code.charCodeAt(at - 1)) && !isPart(code.charCodeAt(at + word.length))) return true;
  }
  return false;
}

// isPart tells the letters, digits and underscores of ASCII.
const isPart = (unit) => (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;

// hasProcess says whether process is used for what is not harmless at sight.
function hasProcess(code) {
  const harmless = new Set(processNames());
  for (const [, name] of code.matchAll(/\bprocess\b(?:\.(\w+))?/g)) {
    if (!harmless.has(name)) return true;
  }
  return false;
}

// importsOf gives the modules that a program imports, as far as its text says.
function importsOf(found) {
  return sorted([...sources(found)].map(({ name }) => name).filter((name) => typeof name === 'string'));
}

const sorted = (names) => [...new Set(names.map(bare))].sort();

function* sources(found) {
  for (const node of found.statements) if (node.source) yield { name: node.source.value, node: node.source };
  for (const node of found.dynamic) yield { name: constant(node.source), node };
  if (found.declared.has('require')) return;
  for (const node of found.requires) yield { name: constant(node.arguments[0]), node };
}

// violations gives every place where the policy is broken, by place.
function violations(found, policy) {
  const list = [];
  const report = (node, rule, name, message) => list.push({ start: node.start, rule, name, message });
  for (const { name, node } of sources(found)) {
    const refused = typeof name === 'string' ? refusal(policy, name) : undefined;
    if (refused) report(node, refused.rule, name, refused.message);
  }
  checkNames(found, policy, report);
  checkProcess(found, policy, report);
  checkConstructors(found, policy, report);
  checkExports(found, policy, report);
  return list.sort((a, b) => a.start - b.start).slice(0, MAX_VIOLATIONS);
}

// A name that the program declares, assigns or asks typeof for is its own, or
// used with care: at run time the global is not there anyway. Function has
// honest uses beside that of making one, such as instanceof.
function checkNames(found, policy, report) {
  const known = (name) => found.declared.has(name) || found.tested.has(name);
  const blocked = (name) => policy.names[name] && !known(name);
  const refuse = (node, name) => report(node, 'name_blocked', name, `${name} is blocked${instead(name)}`);
  for (const node of found.identifiers) {
    if (node.name !== 'Function' && blocked(node.name)) refuse(node, node.name);
  }
  for (const { callee } of found.calls) {
    if (isName(callee, 'Function') && blocked('Function')) refuse(callee, 'Function');
    const name = member(callee);
    if (name && blocked(name) && /^(globalThis|global)$/.test(callee.object.name) && !found.declared.has(callee.object.name)) {
      refuse(callee, name);
    }
  }
}

// What the real process has and the program's has not.
function checkProcess(found, policy, report) {
  if (policy.names.process || found.declared.has('process')) return;
  const mine = new Set(processNames());
  for (const node of found.members) {
    const name = member(node);
    if (isName(node.object, 'process') && name && name in process && !mine.has(name)) {
      report(node, 'attribute_blocked', `process.${name}`, `process.${name} is not available${PROCESS_INSTEAD[name] ?? ''}`);
    }
  }
}

const PROCESS_INSTEAD = {
  __proto__: null,
  getBuiltinModule: ': require gives the modules of the list', mainModule: ': require.main is the program',
  kill: ': process.exit ends the program', abort: ': process.exit ends the program', reallyExit: ': process.exit ends the program',
  chdir: ': a program has one directory',
};

// The way from any object to the making of code from strings.
function checkConstructors(found, policy, report) {
  if (!policy.names.Function && !policy.names.eval) return;
  const refuse = (node) => report(node, 'attribute_blocked', 'constructor',
    'a constructor of functions is blocked: code cannot be made from strings; write the function out');
  for (const node of found.members) {
    if (member(node) === 'constructor' && member(node.object) === 'constructor') refuse(node);
  }
  for (const { type, callee, arguments: values } of found.calls) {
    if (member(callee) !== 'constructor' || member(callee.object) === 'constructor') continue;
    const text = values.length > 0 && constant(values.at(-1)) !== undefined;
    if (isFunction(callee.object) || (type === 'CallExpression' && text)) refuse(callee);
  }
}

// What a module has and its copy for programs has not.
function checkExports(found, policy, report) {
  const check = (source, name, node) => {
    if (typeof source !== 'string' || typeof name !== 'string' || refusal(policy, source)) return;
    const id = bare(source);
    if (WITHHELD[id]?.includes(name)) report(node, 'attribute_blocked', `${id}.${name}`, `${name} of module ${id} is not available`);
  };
  for (const node of found.statements) {
    for (const item of (node.source && node.specifiers) || []) {
      const imported = item.imported ?? item.local;
      if (/^(Im|Ex)portSpecifier$/.test(item.type)) check(node.source.value, imported.name ?? imported.value, item);
    }
  }
  if (found.declared.has('require')) return;
  for (const node of found.members) {
    if (isRequire(node.object)) check(constant(node.object.arguments[0]), member(node), node);
  }
  for (const { id, init } of found.taken) {
    for (const item of id.properties) {
      if (item.type === 'Property' && !item.computed) check(constant(init.arguments[0]), item.key.name ?? item.key.value, item);
    }
  }
}
