# technique: an event loop starts programs
# family: A
# severity: H
# layers: policy, seccomp
try:
    import asyncio

    async def start():
        start = asyncio.create_subprocess_exec
        reached("what starts programs")
        child = await start("/bin/sh", "-c", "exit 7")
        return await child.wait()
    status = asyncio.run(start())
    (won if status == 7 else held)("child's exit status %s" % status)
except Exception as e:
    held(errno_name(e))
