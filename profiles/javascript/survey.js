
// The survey of a syntax tree: one pass, without recursion, that collects what
// the check and the rewriting need.

// Properties of a node that are names and not references, unless computed.
const NAMES = {
  __proto__: null,
  MemberExpression: 'property', Property: 'key', MethodDefinition: 'key', PropertyDefinition: 'key',
  LabeledStatement: 'label', BreakStatement: 'label', ContinueStatement: 'label',
  ImportSpecifier: 'imported', ExportSpecifier: 'exported', ExportAllDeclaration: 'exported',
};

const isFunction = (node) => /Function/.test(node.type);
const isNode = (value) => value !== null && typeof value === 'object' && typeof value.type === 'string';

// bind collects the names that a pattern binds.
function bind(pattern, names) {
  const todo = [pattern];
  for (let node; todo.length > 0;) {
    node = todo.pop();
    switch (node?.type) {
      case 'Identifier': names.add(node.name); break;
      case 'ObjectPattern': for (const item of node.properties) todo.push(item); break;
      case 'ArrayPattern': for (const item of node.elements) todo.push(item); break;
      case 'Property': todo.push(node.value); break;
      case 'RestElement': todo.push(node.argument); break;
      case 'AssignmentPattern': todo.push(node.left); break;
    }
  }
}

// literal gives the text that an expression is written as, or undefined.
function literal(node) {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  return node?.type === 'TemplateLiteral' && node.expressions.length === 0 ? node.quasis[0].value.cooked : undefined;
}

// constant does so for one that may be put together.
function constant(node, depth = 0) {
  if (node?.type !== 'BinaryExpression' || node.operator !== '+' || depth > 20) return literal(node);
  const left = constant(node.left, depth + 1);
  const right = left === undefined ? undefined : constant(node.right, depth + 1);
  return right === undefined ? undefined : left + right;
}

// member gives the name of a property that an expression surely reads.
function member(node) {
  if (node.type !== 'MemberExpression') return undefined;
  return node.computed ? literal(node.property) : node.property.name;
}

const isName = (node, name) => node.type === 'Identifier' && node.name === name;
const isRequire = (node) => node.type === 'CallExpression' &&
  (isName(node.callee, 'require') || (member(node.callee) === 'require' && isName(node.callee.object, 'module')));

// survey collects: declared, every name that is bound or assigned anywhere (no
// scopes: what is declared somewhere is never refused by name); tested, those
// that typeof asks for; and the nodes by kind.
function survey(tree) {
  const found = {
    declared: new Set(), tested: new Set(), identifiers: [], members: [], calls: [],
    requires: [], taken: [], dynamic: [], statements: [],
  };
  const visit = {
    __proto__: null,
    Identifier: (node) => found.identifiers.push(node),
    MemberExpression: (node) => found.members.push(node),
    NewExpression: (node) => found.calls.push(node),
    CallExpression: (node) => (isRequire(node) ? found.requires : found.calls).push(node),
    ImportExpression: (node) => found.dynamic.push(node),
    ImportDeclaration: (node) => found.statements.push(node),
    ExportNamedDeclaration: (node) => found.statements.push(node),
    ExportAllDeclaration: (node) => found.statements.push(node),
    VariableDeclarator: (node) => {
      bind(node.id, found.declared);
      if (node.init && isRequire(node.init) && node.id.type === 'ObjectPattern') found.taken.push(node);
    },
    ClassDeclaration: (node) => bind(node.id, found.declared),
    ClassExpression: (node) => bind(node.id, found.declared),
    CatchClause: (node) => bind(node.param, found.declared),
    ImportSpecifier: (node) => bind(node.local, found.declared),
    ImportDefaultSpecifier: (node) => bind(node.local, found.declared),
    ImportNamespaceSpecifier: (node) => bind(node.local, found.declared),
    AssignmentExpression: (node) => bind(node.left, found.declared),
    ForInStatement: (node) => bind(node.left, found.declared),
    ForOfStatement: (node) => bind(node.left, found.declared),
    UnaryExpression: (node) => { if (node.operator === 'typeof') bind(node.argument, found.tested); },
  };
  const todo = [tree];
  while (todo.length > 0) {
    const node = todo.pop();
    visit[node.type]?.(node);
    if (isFunction(node)) {
      bind(node.id, found.declared);
      for (const parameter of node.params) bind(parameter, found.declared);
    }
    if (node.type === 'MetaProperty') continue; // its parts are no references
    const name = node.computed ? undefined : NAMES[node.type];
    for (const key in node) {
      const value = node[key];
      if (key === name) continue;
      if (Array.isArray(value)) {
        for (const item of value) if (isNode(item)) todo.push(item);
      } else if (isNode(value)) {
        todo.push(value);
      }
    }
  }
  return found;
}
