"""The executor: requests in, results out."""

import contextlib
import ssl
import time
from typing import Any, Dict, Generator, Iterable, Iterator, Mapping, Optional, Union

from . import calls, flows, inputs, tools, transport
from .address import Address
from .errors import Busy, ConnectionError, InvalidRequest, SafeExecError, Timeout, Unavailable
from .events import IDLE_S, Event, Resume
from .results import Result

# What is spent beside the program itself, in seconds: waiting for a slot,
# making the jail, taking it down.
MARGIN_S = 20.0


class SafeCodeExecutor:
    """Runs programs in the safe-exec daemon. Safe to share between threads:
    every call has a connection of its own.

    ``socket_path`` is the daemon's Unix socket; left out, it is
    ``$SAFE_EXEC_SOCKET`` or ``/run/safe-exec/safe-exec.sock``. For a daemon
    that listens on TCP give ``url`` in its place (``http://127.0.0.1:8080``;
    https for another machine, with ``tls`` where the usual authorities will
    not do) and ``token``, which is ``$SAFE_EXEC_TOKEN`` where it is left out.

    ``margin`` is the time in seconds that a call may take beyond the
    program's own limit before it raises Timeout. ``retries`` is how often a
    call is sent again that met a daemon without room (HTTP 429), each time
    after as long as the daemon asks for; 0, the default, raises Busy at once.
    """

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

    def execute(
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
        """Run ``code`` and give its result: a dict with ``status``,
        ``stdout``, ``stderr``, ``result_json``, ``termination``, ``files`` and
        the rest; see Result for what it adds.

        ``language`` is python or javascript (or py, python3, js, node);
        ``policy`` the import policy level, or
        ``{"level": "standard", "deny": ["random"]}`` to take modules out of
        one; ``timeout_ms`` the wall time in milliseconds; ``max_memory_mb``
        the memory in MiB; ``limits`` takes these two by name and
        max_stdout_bytes and max_stderr_bytes as well. What is left out takes
        the daemon's default. Only root may set ``profile``.

        ``stdin``, ``args`` and ``env`` are the program's, ``files`` lie in its
        working directory when it starts: a dict of names with str, bytes or
        paths of files on this machine, or a list of such paths. ``collect``
        holds globs (``["*.png"]``) of files to bring back; left out, all that
        are new or changed come back, and with ``[]`` none.

        Raises a SafeExecError where nothing ran or no answer came.
        """
        body = inputs.build(language, code, policy, timeout_ms, max_memory_mb, limits, profile, stdin, args, env, files, collect)
        return Result(self._call(calls.run(body, self.margin)))

    def stream(self, language: str, code: str, **options: Any) -> Generator[Event, None, None]:
        """Run ``code`` and give its events as they happen: started, stdout,
        stderr, denial, then result, whose data is the Result, and done. Takes
        what ``execute`` takes. Raises where no verdict came.

        The run is killed when the iterator is closed (``contextlib.closing``)
        or dropped before its end.
        """
        call = calls.run(inputs.build(language, code, **options), self.margin, "?stream=1")
        return self._stream(call._replace(timeout=max(IDLE_S, self.margin)))

    def check(self, language: str, code: str, **options: Any) -> Dict[str, Any]:
        """Check ``code`` inside a jail without running it, and give what would
        become of it: a dict with ``would_run``, ``imports``, ``violations``,
        ``termination``, ``policy`` and ``limits_applied``. Takes what
        ``execute`` takes."""
        return self._call(calls.run(inputs.build(language, code, **options), self.margin, "?dry_run=1"))

    def submit(
        self, language: str, code: str, *, idempotency_key: Optional[str] = None, ttl: Optional[float] = None, **options: Any
    ) -> "Job":
        """Queue ``code`` as a job, which survives this process and the
        daemon's. Takes what ``execute`` takes.

        Where the connection breaks before the reply, the request is sent again
        under the same ``idempotency_key``, so that there is one job. A key of
        your own makes that hold beyond this call, after a Timeout say; another
        request under the same key raises InvalidRequest. ``ttl`` is how long it may wait to be started, in
        seconds; left out, the daemon decides.
        """
        call = calls.submit(inputs.build(language, code, **options), self.margin, idempotency_key, ttl)
        return Job(self, self._drive(flows.submit(call, self.retries)))

    def job(self, job_id: str) -> "Job":
        """Give a handle of a job by its id, without asking for it."""
        return Job(self, job_id)

    def jobs(self, status: Optional[str] = None, page: Optional[int] = None) -> Iterator[Dict[str, Any]]:
        """Give this caller's jobs, the newest first: dicts (not Jobs) with
        ``job_id``, ``status`` and times, without results;
        ``executor.job(one["job_id"])`` makes a Job of one. ``status`` picks
        those in one state; they are fetched ``page`` at a time."""
        after: Optional[str] = None
        while True:
            reply = self._call(calls.list_jobs(self.margin, status, page, after))
            yield from reply.get("jobs") or ()
            # A cursor that stands still would go on for ever.
            if not reply.get("next") or reply["next"] == after:
                return
            after = str(reply["next"])

    def policy(self, language: str, level: Optional[str] = None) -> Dict[str, Any]:
        """Give what a program in ``language`` may do under ``level`` (left out,
        what a request gets that names none): a dict with ``imports``,
        ``blocked_names``, ``limits``, ``rules`` and the rest."""
        return self._call(calls.policy(language, level, self.margin))

    def prompt(self, language: str, level: Optional[str] = None) -> str:
        """Give the same as a paragraph to paste into a model's system prompt;
        the limits in it are this caller's own."""
        return str(self._call(calls.policy(language, level, self.margin, prompt=True))["text"])

    tool_schema = staticmethod(tools.tool_schema)

    def run_tool_call(self, arguments: Union[str, Mapping[str, Any]], max_chars: int = tools.MAX_CHARS, **fixed: Any) -> tools.ToolReply:
        """Run what a model asked for by the tool of ``tool_schema`` and give
        the text for it to read, of at most about ``max_chars`` characters;
        ``.result`` of it is the Result, None where nothing ran.

        ``arguments`` is the model's JSON, as text or decoded. ``fixed`` is
        what ``execute`` takes and the model does not choose (``policy``,
        ``timeout_ms``, ``files``); it wins. A mistake of the model's is text,
        too; raises only what it cannot mend: no daemon, no room.
        """
        try:
            result = self.execute(**tools.arguments(arguments, fixed))
        except InvalidRequest as e:
            return tools.refused(e)
        return tools.reply(result, max_chars, fixed)

    def _call(self, call: calls.Call) -> Dict[str, Any]:
        reply: Dict[str, Any] = self._drive(flows.patient(call, self.retries))
        return reply

    def _drive(self, flow: flows.Flow) -> Any:
        try:
            step = next(flow)
            while True:
                answer: Any = None
                try:
                    if isinstance(step, flows.Sleep):
                        time.sleep(step.seconds)
                    else:
                        answer = transport.request(self.address, step)
                except SafeExecError as e:
                    step = flow.throw(e)
                else:
                    step = flow.send(answer)
        except StopIteration as e:
            return e.value

    def _stream(self, call: calls.Call) -> Generator[Event, None, None]:
        # Busy comes before the first event or not at all.
        retries = self.retries
        while True:
            with contextlib.closing(transport.stream(self.address, call)) as events:
                try:
                    for event in events:
                        yield event
                        if event.kind == "done":
                            return
                    raise ConnectionError(self.address.gone(call.lost))
                except Busy as e:
                    if retries <= 0:
                        raise
                    retries -= 1
                    pause = e.retry_after
            time.sleep(min(pause, 60.0))


class Job:
    """A job of the daemon's. ``id`` finds it again: ``executor.job(id)``."""

    def __init__(self, executor: SafeCodeExecutor, job_id: str) -> None:
        self._executor = executor
        self.id = job_id

    def __repr__(self) -> str:
        return "Job(%r)" % self.id

    def info(self, wait: float = 0) -> Dict[str, Any]:
        """Give the job as it stands: ``job_id``, ``status``, its times and,
        once it has finished, ``result`` or ``error``. Waits for its end for at
        most ``wait`` seconds (the daemon allows 60)."""
        return self._executor._call(calls.job(self.id, self._executor.margin, wait))

    def status(self) -> str:
        """Give its status: queued, running, or how it ended."""
        return str(self.info().get("status"))

    def wait(self, timeout: Optional[float] = None) -> Result:
        """Wait for the job to finish and give its result. Raises the job's
        error where it has one instead, and Timeout after ``timeout`` seconds
        (None waits as long as it takes); the job goes on then. A daemon that is
        started again meanwhile is waited for, and one without room (HTTP 429)
        is asked again after as long as it says, whatever ``retries`` is."""
        result: Result = self._executor._drive(flows.wait(self.id, timeout, self._executor.margin))
        return result

    def cancel(self) -> Dict[str, Any]:
        """Cancel the job and give it as it stands: a waiting one never runs, a
        running one is killed, a finished one stays as it is."""
        return self._executor._call(calls.cancel(self.id, self._executor.margin))

    def events(self, last_event_id: Optional[str] = None) -> Generator[Event, None, None]:
        """Give the job's events from its start, or from behind
        ``last_event_id``, up to done. A connection that breaks is made again,
        where the stream left off; the error is raised after several breaks in
        a row, among which a daemon that says when to come back does not count.
        An attempt that begins anew (``started`` tells its number)
        begins its output anew."""
        resume = Resume(last_event_id)
        while True:
            try:
                for event in transport.stream(self._executor.address, calls.events(self.id, IDLE_S, resume.last)):
                    if resume.new(event):
                        yield event
                    if event.kind == "done":
                        return
                error: SafeExecError = ConnectionError("the stream of job %s ended without a verdict" % self.id)
            except (ConnectionError, Timeout, Busy, Unavailable) as e:
                error = e
            time.sleep(resume.pause(error))
