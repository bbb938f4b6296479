"""How fast the rules read chat replies, on one core: ``python -m benchmarks.tells [MESSAGES.jsonl]``.

Without a file it makes its own replies, the same ones every time: plain talk, with a phrase that a rule knows in about
every third. With a file, each line is a JSON object with ``messages``; the last assistant message of each is read, and
the messages before it are its case. Prints MB/s of reply text: of the first look alone, of finding tells, and of the
whole ``rules`` judge.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from iamhumans.cases import Case, Reply, Turn
from iamhumans.judges.judge import JudgeTask
from iamhumans.judges.rules import RulesJudge
from iamhumans.rubrics import load_rubric
from iamhumans.tells import find_tells
from iamhumans.tells.folded import fold_in_place
from iamhumans.tells.scan import rule_set

REPLIES = 2000
ROUNDS = 5

_SUBJECTS = [
    "the meeting",
    "your sister",
    "that letter",
    "the long drive",
    "the quiet after it",
    "the whole week",
    "a plan like that",
]
_VERBS = [
    "changed",
    "stayed with you",
    "took more than it gave",
    "landed badly",
    "came too late",
    "went better than you feared",
]
_ENDS = [
    "and nobody said so.",
    "before anyone noticed.",
    "even if it looked small.",
    "which is a lot.",
    "for once.",
    "again.",
]
_QUESTIONS = ["What did they say?", "Which part do you keep going back to?", "How long ago was that?", "Did you sleep?"]
_PHRASES = [
    "I hear you.",
    "Great question!",
    "It’s important to note that this takes time.",
    "Your feelings are completely valid.",
    "I hope this helps!",
    "When I was your age, things were slower.",
    "Let me know if you want to talk — about this, that, and anything else.",
    "1. Write it down\n2. Say it aloud\n3. Let it go",
]
_USERS = [
    "i had a fight with my sister and i feel awful",
    "I got the job!!",
    "how do i boil an egg",
    "she left me. i keep looking at the door.",
]


def own_messages() -> list[tuple[Case, str]]:
    """Replies of about 800 characters, with the cases that they answer."""
    chance = random.Random(7)
    pairs = []
    for number in range(REPLIES):
        sentences = [
            f"{chance.choice(_SUBJECTS).capitalize()} {chance.choice(_VERBS)}, {chance.choice(_ENDS)}"
            for _ in range(14)
        ]
        sentences.append(chance.choice(_QUESTIONS))
        if chance.random() < 1 / 3:
            sentences.insert(chance.randrange(len(sentences)), chance.choice(_PHRASES))
        case = Case(f"row-{number}", (Turn("user", chance.choice(_USERS)),))
        pairs.append((case, " ".join(sentences)))
    return pairs


def messages_of(path: Path) -> list[tuple[Case, str]]:
    """The last assistant message of each line, with what came before it."""
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        messages = json.loads(line)["messages"]
        turns = tuple(
            Turn(message["role"], message["content"])
            for message in messages[:-1]
            if message["role"] in ("user", "assistant")
        )
        pairs.append((Case(f"row-{number}", turns), messages[-1]["content"]))
    return pairs


def best_of(work: Callable[[], object]) -> float:
    """The shortest of some rounds, in seconds of one core; the first one warms up and does not count."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    pairs = messages_of(Path(arguments[0])) if arguments else own_messages()
    size = sum(len(text.encode()) for _, text in pairs) / 1e6
    first, *_ = rule_set()
    judge = RulesJudge()
    rubric = load_rubric("iamhumans")
    tasks = [JudgeTask(rubric, case, Reply(case.id, text)) for case, text in pairs]
    print(f"{len(pairs)} replies, {size:.2f} MB")
    for name, work in (
        ("first look", lambda: [first.Match(fold_in_place(text)) for _, text in pairs]),
        ("find_tells", lambda: [find_tells(text, case=case) for case, text in pairs]),
        ("rules judge", lambda: [judge.next(task, ()) for task in tasks]),
    ):
        print(f"{name:12s} {size / best_of(work):7.2f} MB/s")


if __name__ == "__main__":
    main(sys.argv[1:])
