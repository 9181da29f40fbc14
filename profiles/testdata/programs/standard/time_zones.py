from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

cities = {"London": "Europe/London", "Tokyo": "Asia/Tokyo", "New York": "America/New_York"}
meeting = datetime(2024, 3, 10, 15, 0, tzinfo=timezone.utc)
for city, zone in cities.items():
    local = meeting.astimezone(ZoneInfo(zone))
    print(f"{city:<9}{local:%Y-%m-%d %H:%M %Z (%z)}")
before = datetime(2024, 3, 10, 1, 30, tzinfo=ZoneInfo("America/New_York"))
after = before + timedelta(hours=1)
print(after.isoformat(), after.utcoffset(), (after.astimezone(timezone.utc) - before.astimezone(timezone.utc)))
ambiguous = datetime(2024, 11, 3, 1, 30, tzinfo=ZoneInfo("America/New_York"))
print(ambiguous.utcoffset(), ambiguous.replace(fold=1).utcoffset())
try:
    ZoneInfo("Mars/Olympus")
except ZoneInfoNotFoundError as e:
    print(type(e).__name__, e)
print(ZoneInfo("Europe/Paris").key, repr(ZoneInfo("UTC")))
