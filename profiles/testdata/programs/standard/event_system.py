from __future__ import annotations
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Callable, Generic, Protocol, TypeVar, overload
import io
import json

E = TypeVar("E", bound="Event")


class Kind(Enum):
    CREATED = auto()
    DELETED = auto()


@dataclass(frozen=True)
class Event:
    kind: Kind
    data: dict[str, Any] = field(default_factory=dict)


class Listener(Protocol):
    def __call__(self, event: Event) -> None: ...


class Bus:
    def __init__(self) -> None:
        self._listeners: dict[Kind, list[Listener]] = defaultdict(list)

    def on(self, *kinds: Kind) -> Callable[[Listener], Listener]:
        def register(listener: Listener) -> Listener:
            for kind in kinds:
                self._listeners[kind].append(listener)
            return listener
        return register

    def emit(self, event: Event) -> int:
        for listener in self._listeners[event.kind]:
            listener(event)
        return len(self._listeners[event.kind])


bus, log = Bus(), io.StringIO()


@bus.on(Kind.CREATED, Kind.DELETED)
def audit(event):
    print(json.dumps({"kind": event.kind.name, **event.data}), file=log)


@bus.on(Kind.DELETED)
def farewell(event):
    log.write(f"bye {event.data['id']}\n")


print(bus.emit(Event(Kind.CREATED, {"id": 1})), bus.emit(Event(Kind.DELETED, {"id": 1})))
print(log.getvalue(), end="")


class Pipeline(Generic[E]):
    def __init__(self, *steps: Callable[[E], E | None]):
        self.steps = steps

    @overload
    def run(self, value: list) -> list: ...
    @overload
    def run(self, value: E) -> E | None: ...
    def run(self, value):
        if isinstance(value, list):
            return [v for v in map(self.run, value) if v is not None]
        for step in self.steps:
            if (value := step(value)) is None:
                return None
        return value


print(Pipeline(lambda x: x * 2, lambda x: x if x > 4 else None).run([1, 2, 3, 4]))
