# technique: time zones
# family: innocents
# innocent: yes
# policy: relaxed
import datetime
import zoneinfo

noon = datetime.datetime(2024, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))
(won if noon.utcoffset() == datetime.timedelta(hours=2) else held)(noon.isoformat())
