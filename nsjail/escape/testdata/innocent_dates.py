# technique: dates, and reading and writing them
# family: innocents
# innocent: yes
import calendar
import datetime
import time

day = datetime.datetime.strptime("2024-02-28 13:45", "%Y-%m-%d %H:%M") + datetime.timedelta(days=2)
ok = day.strftime("%A %d %B") == "Friday 01 March" and calendar.isleap(2024) and time.strptime("1 Jan 2020", "%d %b %Y").tm_year == 2020
(won if ok else held)(day.isoformat())
