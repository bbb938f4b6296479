"""The screen of a labelling session: a reply in its conversation, the question, and what the keys mean.

Foreign text is made harmless and gets a margin, so that no reply can look like a question.
"""

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.text import Text

from iamhumans.rubrics import AXIS_MAXIMUM, Rubric
from iamhumans.text import for_terminal, one_line
from iamhumans.trust.label_files import DEFAULT_RATER
from iamhumans.trust.label_keys import NONE, TEN, Command, Dialogue, Question
from iamhumans.trust.label_session import LEAVE_OUT, Item, Progress

WIDEST = 100
"""Longer lines are hard to read."""
_NARROWEST = 20
_SCORE_KEYS = ((f"0-{AXIS_MAXIMUM - 1} {TEN}", f"the score; {TEN} is {AXIS_MAXIMUM}"), ("?", "cannot tell"))
_COMMANDS = {
    Command.NOTE: "write a note",
    Command.UNDO: "undo the last answer",
    Command.BACK: "back to the reply before",
    Command.SKIP: "skip this reply; it comes again next time",
    Command.QUIT: "quit; finished replies are stored",
    Command.HELP: "this help",
}


def news(dialogue: Dialogue, before: Dialogue | None, rubric: Rubric, width: int) -> Iterator[Text]:
    """What the rater has not seen yet: a new reply, the list of hard fails, help, a remark."""
    session, item = dialogue.session, dialogue.session.current
    if item is not None and (before is None or before.session.place != session.place):
        yield from item_lines(item, session.progress, width)
        yield from _list(dialogue, rubric, width)
    if dialogue.helping:
        yield from _help(dialogue, rubric, width)
    if dialogue.remark:
        yield Text(one_line(dialogue.remark), style="bold")


def item_lines(item: Item, progress: Progress, width: int) -> Iterator[Text]:
    """A reply with the conversation before it."""
    head = f"── {progress.place} of {progress.total} "
    yield Text("")
    yield Text(head + "─" * max(min(width, WIDEST) - len(head), 0), style="bold")
    for turn in item.conversation:
        yield Text(turn.speaker, style="dim")
        yield from _with_margin(turn.text, "  ", width)
    yield Text("REPLY, to be labelled", style="bold")
    yield from _with_margin(item.reply, "┃ ", width)
    yield Text("")


def _with_margin(text: str, margin: str, width: int) -> Iterator[Text]:
    for line in for_terminal(text).split("\n"):
        pieces = _wrapped(line.expandtabs(4), width - len(margin)) or [""]
        yield from (Text(f"{margin}{piece}".rstrip()) for piece in pieces)


def _wrapped(text: str, width: int) -> list[str]:
    # By rich, which knows the width of every character.
    room = max(min(width, WIDEST), _NARROWEST)
    return [line.plain.rstrip() for line in Text(text).wrap(Console(width=room), room)]


def _list(dialogue: Dialogue, rubric: Rubric, width: int) -> Iterator[Text]:
    if dialogue.question is None or dialogue.question.kind != "flags":
        return
    meanings = {one.id: one.meaning.removeprefix("The reply ") for one in rubric.hard_fails}
    widest = max(map(len, dialogue.letters.values()))
    room = min(width, WIDEST) - widest - 7
    for letter, name in dialogue.letters.items():
        meaning = f"  {one_line(meanings.get(name, ''), room)}" if room >= _NARROWEST else ""
        yield Text(f"  {letter}  {name:<{widest}}{meaning}".rstrip())


def prompt(dialogue: Dialogue, rubric: Rubric, width: int) -> str:
    """The question, in one or more lines; the rater answers at the end of the last one."""
    question, draft = dialogue.question, dialogue.session.draft
    if question is None or question.kind == "note":
        return "note > " if question else ""
    if question.kind == "flags":
        marks = _marks(draft.flags)
        return f"{marks}hard fails: a letter for YES, {NONE} for {'no other' if marks else 'none'}, h for help > "
    if question.kind == "words":
        return f"words of the reply behind {question.name}, Enter for none > "
    asked = {one.id: one.meaning for one in rubric.hard_fails} | {one.id: one.question for one in rubric.axes}
    text = "\n".join(_wrapped(one_line(f"{question.name}: {asked.get(question.name, '')}"), width))
    keys = "y n ?" if question.kind == "flag" else f"0 to {AXIS_MAXIMUM - 1}, {TEN} = {AXIS_MAXIMUM}, ?"
    answers = draft.flags if question.kind == "flag" else draft.axes
    return f"{text}\n{_now(answers, question.name)}{keys} > "


def _marks(flags: Mapping[str, bool | None]) -> str:
    said: Mapping[str, bool | None] = {"YES": True, "cannot tell": None, "NO": False}
    named = {word: [name for name, answer in flags.items() if answer is value] for word, value in said.items()}
    parts = [f"{word}: {', '.join(names)}" for word, names in named.items() if names]
    return f"[{'; '.join(parts)}]\n" if parts else ""


def _now(answers: Mapping[str, bool | float | None], name: str) -> str:
    if name not in answers:
        return ""
    said = answers[name]
    shown = "cannot tell" if said is None else ("NO", "YES")[said] if isinstance(said, bool) else f"{said:g}"
    return f"[{shown}; Enter keeps it, {LEAVE_OUT} leaves it out] "


def _help(dialogue: Dialogue, rubric: Rubric, width: int) -> Iterator[Text]:
    question = dialogue.question
    asked = set(dialogue.letters.values()) if question and question.kind == "flags" else {question and question.name}
    texts = {one.id: [one.meaning, *(f"such as {example}" for example in one.examples)] for one in rubric.hard_fails}
    for axis in rubric.axes:
        anchors = [f"{score}: {meaning}" for score, meaning in axis.anchors.items()]
        texts[axis.id] = [axis.question, *anchors, *(f"sign: {tell}" for tell in axis.tells)]
    for name in (name for name in texts if name in asked):
        yield Text(f"  {name}", style="bold")
        for text in texts[name]:
            yield from (Text(f"    {line}") for line in _wrapped(one_line(text), width - 4))
    yield Text("  keys", style="bold")
    yield from (Text(f"    {key:<6} {meaning}") for key, meaning in _keys(question))


def _keys(question: Question | None) -> Iterator[tuple[str, str]]:
    kind = question.kind if question else "note"
    if kind == "flags":
        yield "letter", "YES; again: cannot tell; again: no answer"
        yield NONE, "NO to all that are not marked, and continue"
        yield "Enter", "continue; what is not marked is left out"
    elif kind in ("flag", "axis"):
        yield from [("y n ?", "YES, NO, cannot tell")] if kind == "flag" else _SCORE_KEYS
        yield from (("Enter", "continue without a change"), (LEAVE_OUT, "leave it out"))
    yield from ((command.value, meaning) for command, meaning in _COMMANDS.items())


def opening(progress: Progress, rater: str) -> str:
    """The first line: who labels, how far they are, and how to get help."""
    other = " Another person uses --rater NAME." if rater == DEFAULT_RATER else ""
    so_far = f" {progress.labelled} of {progress.total} are labelled." if progress.labelled else ""
    return f"You label as {one_line(rater, 60)}.{other}{so_far} Press h for help, q to quit."


def parting(progress: Progress, labelled_now: int, run: str) -> str:
    """The last line."""
    if progress.labelled < progress.total:
        return f"{labelled_now} labelled now, {progress.labelled} of {progress.total} in all. Run it again to continue."
    done = f"{labelled_now} labelled now. All {progress.total} are labelled."
    return f"{done} `iamhumans calibrate {run}` compares the judge with them."
