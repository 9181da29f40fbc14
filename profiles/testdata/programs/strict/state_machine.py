from __future__ import annotations

from typing import ClassVar, Final, Literal, Protocol, TypedDict, runtime_checkable, get_type_hints

State = Literal["idle", "running", "done"]
START: Final = "idle"


class Event(TypedDict, total=False):
    name: str
    payload: int


@runtime_checkable
class Handler(Protocol):
    def handle(self, event: Event) -> State: ...


class Machine:
    transitions: ClassVar[dict[tuple[State, str], State]] = {("idle", "start"): "running", ("running", "tick"): "running", ("running", "stop"): "done"}

    def __init__(self) -> None:
        self.state: State = START
        self.seen: list[Event] = []

    def handle(self, event: Event) -> State:
        key = (self.state, event["name"])
        if key not in self.transitions:
            raise ValueError(f"no transition from {self.state} on {event['name']}")
        self.seen.append(event)
        self.state = self.transitions[key]
        return self.state


machine = Machine()
for event in ({"name": "start"}, {"name": "tick", "payload": 3}, {"name": "stop"}):
    print(machine.handle(event))
try:
    machine.handle({"name": "start"})
except ValueError as e:
    print(e)
print(isinstance(machine, Handler), isinstance(3, Handler), sum(e.get("payload", 0) for e in machine.seen))
print(sorted(get_type_hints(Event)), get_type_hints(Machine.handle)["return"], Event(name="x"))
