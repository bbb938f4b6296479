"""Judge whether a conversational reply reads and behaves like a person's, and whether the judge can be trusted.

>>> import iamhumans as ih
>>> ih.judge("Your feelings are completely valid.", input="i can't sleep again").total
0

Everything public is listed in ``__all__`` and is loaded when it is first used. ``docs/python.md`` is a tour. Functions
whose names begin with ``a`` are the asynchronous twins of those without it.

The package is a house of floors; a folder imports only from the floors below it. ``docs/architecture.md`` shows it.
"""

from importlib import import_module

__version__ = "0.1.0"
_HOMES = {
    "api.calibrating": ("Calibration", "calibrate"),
    "api.checking": ("ModelCheck", "acheck_model", "check_model"),
    "api.converting": ("Conversion", "convert"),
    "api.deciding": (
        *("Comparison", "GateResult", "SideBySide", "acompare_replies", "compare"),
        *("compare_replies", "estimate_comparison", "gate"),
    ),
    "api.judging": ("ajudge", "ajudge_all", "estimate_judging", "judge", "judge_all"),
    "api.planning": ("Plan", "plan"),
    "api.reading": ("read_verdict",),
    "api.until_decided": ("agate_until_decided", "gate_until_decided"),
    "api.run": ("OpenJournal", "Run", "adopt_journal", "open_journal"),
    "api.running": ("DrawnReplies", "DrawnReply", "areply_all", "arun", "estimate_run", "reply_all", "run"),
    "cases": ("Case", "Reply", "Suite", "Turn", "load_suite"),
    "errors": ("CannotRunError", "CommandError", "IamhumansError", "InputError", "JournalError", "JournalRefusedError"),
    "judges": ("Judge", "JudgeTask"),
    "models": ("CallableModel",),
    "prompts": ("Answer", "Message", "Request"),
    "rubrics": ("Rubric", "load_rubric"),
    "runs.engine": ("Progress",),
    "runs.halt": ("StopRequest",),
    "runs.labels": ("Label",),
    "runs.plan": ("Estimate",),
    "subjects": ("Answered", "Skill", "Subject", "SubjectTask"),
    "tells": ("Tell", "find_tells"),
    "verdicts": ("Coverage", "Flag", "Judgement", "Reason", "Seen", "Unjudged", "Verdict"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}
__all__ = [*sorted(_MODULES), "__version__"]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
