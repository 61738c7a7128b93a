"""The plain way to count a ledger, as a yardstick for `crev ledger tally`.

Usage: python3 reference_tally.py DIR

Decodes every line with json.loads, keeps the events in a list and counts the
distinct pull requests (or runs without one) of every class.
"""

import collections
import json
import pathlib
import sys

events = []
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.jsonl")):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            events.append(json.loads(line))

units = collections.defaultdict(set)
for event in events:
    if "opened" in event or "observed" in event:
        units[event["fp"]].add(event.get("pr") or event["run"])

recurring = sum(len(seen) >= 3 for seen in units.values())
print(f"{len(events)} events, {len(units)} classes, {recurring} recurring")
