"""Summarise a CSV of sales without the csv module."""
from __future__ import annotations

from collections import defaultdict
from statistics import mean, median, pstdev

RAW = """region,month,units,price
north,2024-01,120,9.99
south,2024-01,80,10.49
north,2024-02,150,9.49
south,2024-02,95,10.25
east,2024-02,60,11.00
"""


def parse_rows(text: str) -> list[dict[str, str]]:
    header, *lines = text.strip().splitlines()
    keys = header.split(",")
    return [dict(zip(keys, line.split(","))) for line in lines]


def main() -> None:
    rows = parse_rows(RAW)
    revenue: defaultdict[str, float] = defaultdict(float)
    for row in rows:
        revenue[row["region"]] += int(row["units"]) * float(row["price"])
    units = [int(r["units"]) for r in rows]
    print(f"rows={len(rows)} mean={mean(units):.2f} median={median(units)} sd={pstdev(units):.3f}")
    for region, total in sorted(revenue.items(), key=lambda kv: -kv[1]):
        print(f"{region:<8}|{total:>12,.2f}|{'#' * int(total // 200)}")


if __name__ == "__main__":
    main()
