"""The executor for asyncio: the same names, awaitable."""

import asyncio
import ssl
from typing import Any, AsyncGenerator, AsyncIterator, Dict, Iterable, Mapping, Optional, Union

from . import aiotransport, calls, flows, inputs, tools
from .address import Address
from .client import MARGIN_S
from .errors import Busy, ConnectionError, InvalidRequest, SafeExecError, Timeout, Unavailable
from .events import IDLE_S, Event, Resume
from .results import Result


class AsyncSafeCodeExecutor:
    """SafeCodeExecutor for asyncio, without threads; its arguments are the
    same. Cancelling the task that awaits ``execute`` closes the connection,
    and the daemon kills the run. Only files that are named by path are read
    from disk, which blocks the loop for as long."""

    def __init__(
        self,
        socket_path: Optional[str] = None,
        margin: float = MARGIN_S,
        *,
        url: Optional[str] = None,
        token: Optional[str] = None,
        tls: Optional[ssl.SSLContext] = None,
        retries: int = 0,
    ) -> None:
        self.address = Address(socket_path, url, token, tls)
        self.socket_path = self.address.path
        self.margin = margin
        self.retries = retries

    async def execute(
        self,
        language: str,
        code: str,
        policy: Optional[inputs.Policy] = None,
        timeout_ms: Optional[int] = None,
        max_memory_mb: Optional[int] = None,
        limits: Optional[Mapping[str, int]] = None,
        profile: Optional[str] = None,
        stdin: Optional[Union[str, bytes]] = None,
        args: Optional[Iterable[str]] = None,
        env: Optional[Mapping[str, str]] = None,
        files: Optional[inputs.Files] = None,
        collect: Optional[Iterable[str]] = None,
    ) -> Result:
        """See SafeCodeExecutor.execute."""
        body = inputs.build(language, code, policy, timeout_ms, max_memory_mb, limits, profile, stdin, args, env, files, collect)
        return Result(await self._call(calls.run(body, self.margin)))

    async def stream(self, language: str, code: str, **options: Any) -> AsyncGenerator[Event, None]:
        """See SafeCodeExecutor.stream; ``async for`` gives the events. Close
        it early with ``contextlib.aclosing`` or by cancelling the task."""
        call = calls.run(inputs.build(language, code, **options), self.margin, "?stream=1")
        call = call._replace(timeout=max(IDLE_S, self.margin))
        retries = self.retries
        while True:
            events = aiotransport.stream(self.address, call)
            try:
                async for event in events:
                    yield event
                    if event.kind == "done":
                        return
                raise ConnectionError(self.address.gone(call.lost))
            except Busy as e:
                if retries <= 0:
                    raise
                retries -= 1
                pause = e.retry_after
            finally:
                await events.aclose()
            await asyncio.sleep(min(pause, 60.0))

    async def check(self, language: str, code: str, **options: Any) -> Dict[str, Any]:
        """See SafeCodeExecutor.check."""
        return await self._call(calls.run(inputs.build(language, code, **options), self.margin, "?dry_run=1"))

    async def submit(
        self, language: str, code: str, *, idempotency_key: Optional[str] = None, ttl: Optional[float] = None, **options: Any
    ) -> "AsyncJob":
        """See SafeCodeExecutor.submit. The job goes on where the task that
        awaits this is cancelled after the daemon took it."""
        call = calls.submit(inputs.build(language, code, **options), self.margin, idempotency_key, ttl)
        return AsyncJob(self, await self._drive(flows.submit(call, self.retries)))

    def job(self, job_id: str) -> "AsyncJob":
        """Give a handle of a job by its id, without asking for it."""
        return AsyncJob(self, job_id)

    async def jobs(self, status: Optional[str] = None, page: Optional[int] = None) -> AsyncIterator[Dict[str, Any]]:
        """See SafeCodeExecutor.jobs."""
        after: Optional[str] = None
        while True:
            reply = await self._call(calls.list_jobs(self.margin, status, page, after))
            for job in reply.get("jobs") or ():
                yield job
            if not reply.get("next") or reply["next"] == after:
                return
            after = str(reply["next"])

    async def policy(self, language: str, level: Optional[str] = None) -> Dict[str, Any]:
        """See SafeCodeExecutor.policy."""
        return await self._call(calls.policy(language, level, self.margin))

    async def prompt(self, language: str, level: Optional[str] = None) -> str:
        """See SafeCodeExecutor.prompt."""
        return str((await self._call(calls.policy(language, level, self.margin, prompt=True)))["text"])

    tool_schema = staticmethod(tools.tool_schema)

    async def run_tool_call(
        self, arguments: Union[str, Mapping[str, Any]], max_chars: int = tools.MAX_CHARS, **fixed: Any
    ) -> tools.ToolReply:
        """See SafeCodeExecutor.run_tool_call."""
        try:
            result = await self.execute(**tools.arguments(arguments, fixed))
        except InvalidRequest as e:
            return tools.refused(e)
        return tools.reply(result, max_chars, fixed)

    async def _call(self, call: calls.Call) -> Dict[str, Any]:
        reply: Dict[str, Any] = await self._drive(flows.patient(call, self.retries))
        return reply

    async def _drive(self, flow: flows.Flow) -> Any:
        try:
            step = next(flow)
            while True:
                answer: Any = None
                try:
                    if isinstance(step, flows.Sleep):
                        await asyncio.sleep(step.seconds)
                    else:
                        answer = await aiotransport.request(self.address, step)
                except SafeExecError as e:
                    step = flow.throw(e)
                else:
                    step = flow.send(answer)
        except StopIteration as e:
            return e.value


class AsyncJob:
    """A job of the daemon's, as Job is."""

    def __init__(self, executor: AsyncSafeCodeExecutor, job_id: str) -> None:
        self._executor = executor
        self.id = job_id

    def __repr__(self) -> str:
        return "AsyncJob(%r)" % self.id

    async def info(self, wait: float = 0) -> Dict[str, Any]:
        """See Job.info."""
        return await self._executor._call(calls.job(self.id, self._executor.margin, wait))

    async def status(self) -> str:
        """See Job.status."""
        return str((await self.info()).get("status"))

    async def wait(self, timeout: Optional[float] = None) -> Result:
        """See Job.wait. Cancelling the task does not cancel the job."""
        result: Result = await self._executor._drive(flows.wait(self.id, timeout, self._executor.margin))
        return result

    async def cancel(self) -> Dict[str, Any]:
        """See Job.cancel."""
        return await self._executor._call(calls.cancel(self.id, self._executor.margin))

    async def events(self, last_event_id: Optional[str] = None) -> AsyncGenerator[Event, None]:
        """See Job.events."""
        resume = Resume(last_event_id)
        while True:
            events = aiotransport.stream(self._executor.address, calls.events(self.id, IDLE_S, resume.last))
            try:
                async for event in events:
                    if resume.new(event):
                        yield event
                    if event.kind == "done":
                        return
                error: SafeExecError = ConnectionError("the stream of job %s ended without a verdict" % self.id)
            except (ConnectionError, Timeout, Busy, Unavailable) as e:
                error = e
            finally:
                await events.aclose()
            await asyncio.sleep(resume.pause(error))
