import calendar
import datetime as dt
from typing import NamedTuple


class Meeting(NamedTuple):
    start: dt.datetime
    minutes: int
    title: str

    @property
    def end(self):
        return self.start + dt.timedelta(minutes=self.minutes)

    def overlaps(self, other: "Meeting") -> bool:
        return self.start < other.end and other.start < self.end


def nth_weekday(year, month, weekday, n):
    days = [week[weekday] for week in calendar.monthcalendar(year, month) if week[weekday]]
    return dt.date(year, month, days[n - 1 if n > 0 else n])


def free_slots(meetings, day, opening=dt.time(9), closing=dt.time(17)):
    at = dt.datetime.combine(day, opening)
    for m in sorted(meetings):
        if m.start > at:
            yield at.time(), m.start.time()
        at = max(at, m.end)
    if at.time() < closing:
        yield at.time(), closing


day = nth_weekday(2024, 5, calendar.THURSDAY, 2)
base = dt.datetime.combine(day, dt.time())
meetings = [Meeting(base + dt.timedelta(hours=h), m, t) for h, m, t in ((13, 90, "review"), (9.5, 30, "standup"), (14, 15, "call"))]
for m in sorted(meetings):
    print(f"{m.start:%a %H:%M}-{m.end:%H:%M} {m.title}")
print([(a.title, b.title) for i, a in enumerate(meetings) for b in meetings[i + 1:] if a.overlaps(b)])
print([f"{a:%H:%M}-{b:%H:%M}" for a, b in free_slots(meetings, day)])
print(calendar.month(2024, 5), end="")
print(nth_weekday(2024, 11, calendar.THURSDAY, 4), nth_weekday(2024, 2, 3, -1), calendar.isleap(1900), calendar.leapdays(2000, 2024))
print(dt.timedelta(days=1, hours=2, minutes=3) / 2, str(dt.timedelta(seconds=98765)), dt.datetime(2024, 1, 31) + dt.timedelta(days=30))
print(dt.datetime.fromtimestamp(0, dt.timezone.utc).isoformat(), dt.date.max - dt.date.min, dt.datetime(2024, 5, 9) == dt.datetime(2024, 5, 9, 0, 0))
