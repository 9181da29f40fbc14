import functools
import io
import json
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Optional
from uuid import UUID, uuid4


class ApiError(Exception):
    def __init__(self, status: int, message: str = "") -> None:
        self.status = status
        super().__init__(message or f"HTTP {status}")


@dataclass
class Response:
    status: int
    body: bytes
    headers: Optional[dict] = None

    def json(self):
        return json.loads(self.body)

    def raise_for_status(self):
        if self.status >= 400:
            raise ApiError(self.status)
        return self


class FakeClient:
    def __init__(self):
        self.calls = 0
        self.id: UUID = uuid4()

    @functools.lru_cache(maxsize=8)
    def get(self, path: str, *, page: int = 1) -> Response:
        self.calls += 1
        if path == "/missing":
            return Response(404, b"{}")
        return Response(200, json.dumps({"path": path, "page": page, "items": list(range(page))}).encode(), {"etag": "x"})


client = FakeClient()
for page in (1, 2, 1, 2, 3):
    print(client.get("/items", page=page).raise_for_status().json()["items"])
print(client.calls, FakeClient.get.cache_info().hits, isinstance(client.id, UUID))
try:
    client.get("/missing").raise_for_status()
except ApiError as e:
    print(e.status, e)
buffer = io.StringIO()
with redirect_stdout(buffer):
    print("captured", end="!")
print(buffer.getvalue(), len(buffer.getvalue()))
with io.BytesIO() as raw:
    wrapper = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    wrapper.write("é\n")
    print(raw.getvalue())
start = time.monotonic()
time.sleep(0.002)
print(time.monotonic() > start, Response(200, b"{}"))
