"""A process that works on a journal, to be killed.

Importing takes longer than the work, so one process imports everything and forks a worker for each line that it
reads. A line is the worker's settings as JSON; for each worker it prints ``pid`` and, when that ended, its status.

    python -m tests.runs.driver
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

import aiohttp  # noqa: F401 - or every worker would import it
from tests.runs.working import judging_jobs, local_model, settings, work

from iamhumans.errors import IamhumansError
from iamhumans.runs.journal import claims
from iamhumans.runs.journal.journal import Journal

CONNECTIONS = 10


def work_once(path: Path, url: str, rows: int, largest_file: int | None) -> int:
    """Resume the run as the command would. Returns the exit code."""
    # A shorter lease, so that a test need not sleep for a minute.
    claims.RENEW_EVERY, claims.LEASE, claims.SILENT = 0.3, 1.0, 2.5
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    try:
        with Journal.open(path) as journal:
            run = journal.begin_run({"rows": rows}, asked=rows)
            model = local_model(path.parent, url)
            jobs = judging_jobs(journal, run, model, range(1, rows + 1))
            work(journal, jobs, model=model, run=run.id, settings=settings(max_connections=CONNECTIONS))
            journal.end_run(run, asked=rows)
    except IamhumansError as error:
        print(error.message, file=sys.stderr)
        return error.exit_code
    return 0


def fork(options: dict[str, Any]) -> int:
    """A worker's process number."""
    worker = os.fork()
    if worker:
        return worker
    code = 70
    try:
        code = work_once(Path(options["path"]), options["url"], options["rows"], options.get("largest_file"))
    finally:
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        started = [fork(options) for options in json.loads(line)]
        print(json.dumps(started), flush=True)
        ended = [os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) for worker in started]
        print(json.dumps(ended), flush=True)


if __name__ == "__main__":
    main()
