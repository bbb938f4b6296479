"""Reading a million rows of 80 words: rows a second on one core, and peak memory.

python -m benchmarks.logs [ROWS]
"""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

ROWS = 1_000_000
WORDS = (
    "again",
    "bike",
    "grandad",
    "painted",
    "kitchen",
    "tuesday",
    "lamp",
    "never",
    "stairs",
    "phone",
    "rain",
    "door",
)
FORMS = ("rows.jsonl", "messages.jsonl", "messages.jsonl.gz", "sharegpt.json", "rows.csv")


def text(number: int, words: int) -> str:
    return " ".join([f"w{number}", *(WORDS[(number * 7 + at * 5) % len(WORDS)] for at in range(words - 1))])


def row(form: str, number: int) -> dict[str, Any]:
    said, reply = text(number, 20), text(number + 1, 80)
    if form.startswith("messages"):
        turns = [{"role": "user", "content": said}, {"role": "assistant", "content": reply}]
        return {"id": f"c{number}", "messages": turns}
    if form.startswith("sharegpt"):
        turns = [{"from": "human", "value": said}, {"from": "gpt", "value": reply}]
        return {"id": f"c{number}", "conversations": turns}
    return {"id": f"c{number}", "input": said, "reply": reply}


def write(path: Path, rows: int) -> None:
    opener: Callable[..., IO[str]] = gzip.open if path.suffix == ".gz" else open
    more: dict[str, Any] = {"compresslevel": 1} if path.suffix == ".gz" else {}
    with opener(path, "wt", encoding="utf-8", **more) as file:
        is_array, is_table = path.name.endswith(".json"), path.suffix == ".csv"
        file.write("[\n" if is_array else "id,input,reply\n" if is_table else "")
        for number in range(rows):
            values = row(path.name, number)
            line = ",".join(f'"{value}"' for value in values.values()) if is_table else json.dumps(values)
            file.write(line + (",\n" if is_array and number < rows - 1 else "\n"))
        file.write("]\n" if is_array else "")


def read(path: Path) -> None:
    """Read a file and print the figures as JSON; in a process of its own, so that memory is that of reading."""
    from iamhumans.subjects import ReplyRow, open_replies

    begun, count = time.process_time(), 0
    for one in open_replies(path):
        count += isinstance(one, ReplyRow)
    seconds = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": count, "seconds": seconds, "megabytes": memory}))


def main(rows: int) -> None:
    print(f"{rows:,} rows of 80 words; goals: 20,000 rows a second, 200 MB")
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMS:
            path = Path(folder) / form
            write(path, rows)
            command = [sys.executable, "-m", "benchmarks.logs", "--read", str(path)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            assert found["rows"] == rows, found
            rate = found["rows"] / found["seconds"]
            print(f"{form:20} {rate:>9,.0f} rows a second  {found['megabytes']:5.0f} MB", flush=True)
            path.unlink()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(Path(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
