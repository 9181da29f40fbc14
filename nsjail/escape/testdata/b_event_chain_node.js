// technique: what a method of process gives back
// family: B
// severity: H
// layers: policy, mount_namespace, landlock
readHost(() => loaderOf(process.on('x', () => {}).setMaxListeners?.(20) ?? process.on('x', () => {})));
