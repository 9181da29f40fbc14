"""What only asyncio does: many at once, and cancelling."""

import asyncio
import threading
import unittest

import safe_code_executor as sce

from fakecase import Case


class TestAsyncio(Case):
    def test_cancelling_the_task_hangs_up(self):
        fake, _ = self.start()
        asked, gone = threading.Event(), threading.Event()

        def write(handler):
            asked.set()
            if handler.rfile.read(1) == b"":
                gone.set()

        async def go():
            task = asyncio.ensure_future(sce.AsyncSafeCodeExecutor(self.path).execute("python", "1"))
            await asyncio.get_running_loop().run_in_executor(None, asked.wait, 10)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        fake.replies.append(write)
        asyncio.run(go())
        self.assertTrue(gone.wait(10), "the daemon would not know that it shall stop")

    def test_many_at_once(self):
        fake, _ = self.start()
        together = threading.Barrier(20)

        def write(handler):
            together.wait(10)  # breaks unless all are there at once
            return 200, "application/json", b'{"status": "succeeded"}', {}

        async def go():
            executor = sce.AsyncSafeCodeExecutor(self.path)
            return await asyncio.gather(*(executor.execute("python", str(n)) for n in range(20)))

        fake.replies.extend([write] * 20)
        self.assertEqual([{"status": "succeeded"}] * 20, asyncio.run(go()))

    def test_a_time_out_of_the_callers_own(self):
        fake, _ = self.start()
        over = threading.Event()
        self.addCleanup(over.set)
        fake.replies.append(lambda handler: over.wait(10) and None)

        async def go():
            await asyncio.wait_for(sce.AsyncSafeCodeExecutor(self.path).execute("python", "1"), 0.1)

        with self.assertRaises(asyncio.TimeoutError):
            asyncio.run(go())


if __name__ == "__main__":
    unittest.main()
