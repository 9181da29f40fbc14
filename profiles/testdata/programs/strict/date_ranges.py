from datetime import date, datetime, timedelta, timezone
import calendar


def business_days(start: date, end: date):
    day = start
    while day <= end:
        if day.weekday() < 5:
            yield day
        day += timedelta(days=1)


start, end = date(2024, 2, 26), date(2024, 3, 5)
print([d.isoformat() for d in business_days(start, end)])
print(sum(1 for _ in business_days(date(2024, 1, 1), date(2024, 12, 31))), "business days in 2024")

stamps = ["2024-03-10T08:15:00+00:00", "2024-03-09T23:59:59+02:00", "2024-03-10T00:00:00-05:00"]
parsed = sorted(datetime.fromisoformat(s) for s in stamps)
for p in parsed:
    print(p.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S %Z"))
print(max(parsed) - min(parsed))
print(datetime.strptime("07/Apr/2024 18:05", "%d/%b/%Y %H:%M"))
print(datetime.strptime("Monday, 1 January 2024", "%A, %d %B %Y").date())
for month in (1, 2, 12):
    first, length = calendar.monthrange(2024, month)
    print(calendar.month_name[month], calendar.day_abbr[first], length)
age = (date(2024, 6, 15) - date(1990, 7, 20)).days // 365
print("age", age, "| week", date(2024, 12, 30).isocalendar())
