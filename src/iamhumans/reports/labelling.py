"""What is shown to whoever labels: one reply in its conversation, what is asked, what the keys mean.

All foreign text is made harmless and stands behind a margin of ours, so that no reply can look like a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.text import Text

from iamhumans.rubrics import AXIS_MAXIMUM, Axis, HardFail, Rubric
from iamhumans.text import for_terminal, one_line
from iamhumans.trust.dialogue import LEAVE_OUT, NONE, TEN, Command, Dialogue, Question
from iamhumans.trust.labelling import Answers, Item, Progress
from iamhumans.trust.raters import DEFAULT_RATER

WIDEST = 100
"""Longer lines are hard to read."""
_NARROWEST = 20
_BESIDE = 7
"""Letter and blanks beside the name of a hard fail."""
_SUBJECT = "The reply "
"""What a meaning begins with, and what the list needs not say ten times."""
_SPEAKERS = {"user": "user", "assistant": "assistant"}
_COMMANDS = {
    Command.NOTE: "write a note",
    Command.UNDO: "take the last answer back",
    Command.BACK: "back to the reply before",
    Command.SKIP: "skip this reply; it comes again next time",
    Command.QUIT: "quit; every reply answered before this one is kept",
    Command.HELP: "this help",
}


def news(dialogue: Dialogue, before: Dialogue | None, rubric: Rubric, width: int) -> Iterator[Text]:
    """What is new to the rater: another reply, the list of hard fails, help that was asked for, a remark.

    Args:
        dialogue: Where the rater is.
        before: Where the rater was; ``None`` at the beginning.
        rubric: What is asked by.
        width: How wide a line may be.
    """
    session, item = dialogue.session, dialogue.session.current
    if item is not None and (before is None or before.session.place != session.place):
        yield from item_lines(item, session.progress, width)
        yield from _list(dialogue, rubric, width)
    if dialogue.helping:
        yield from help_lines(dialogue, rubric, width)
    if dialogue.remark:
        yield Text(one_line(dialogue.remark), style="bold")


def item_lines(item: Item, progress: Progress, width: int) -> Iterator[Text]:
    """A reply with the conversation that it answers.

    Args:
        item: What is labelled.
        progress: How far the rater is.
        width: How wide a line may be.
    """
    head = f"── {progress.place} of {progress.total} "
    yield Text("")
    yield Text(head + "─" * max(min(width, WIDEST) - len(head), 0), style="bold")
    for turn in item.conversation:
        yield from _turn(_SPEAKERS[turn.speaker], turn.text, "  ", width, style="dim")
    yield from _turn("REPLY, to be labelled", item.reply, "┃ ", width, style="bold")
    yield Text("")


def _turn(name: str, text: str, margin: str, width: int, *, style: str) -> Iterator[Text]:
    yield Text(name, style=style)
    console = Console(width=width)
    room = max(min(width, WIDEST) - len(margin), _NARROWEST)
    for line in for_terminal(text).split("\n"):
        for piece in Text(line.expandtabs(4)).wrap(console, room) or [Text("")]:
            marked = Text(margin).append_text(piece)
            marked.rstrip()
            yield marked


def _list(dialogue: Dialogue, rubric: Rubric, width: int) -> Iterator[Text]:
    """The hard fails to pick from, each with a short meaning."""
    if dialogue.question is None or dialogue.question.kind != "flags":
        return
    meanings = {one.id: one.meaning for one in rubric.hard_fails}
    widest = max(len(name) for name in dialogue.letters.values())
    room = min(width, WIDEST) - widest - _BESIDE
    for letter, name in dialogue.letters.items():
        meaning = meanings.get(name, "").removeprefix(_SUBJECT)
        if room >= _NARROWEST:
            yield Text(f"  {letter}  {name:<{widest}}  {one_line(meaning, room)}")
        else:
            yield Text(f"  {letter}  {name}")


def prompt(dialogue: Dialogue, rubric: Rubric, width: int) -> str:
    """The line at whose end the rater answers."""
    question = dialogue.question
    session = dialogue.session
    if question is None:
        return ""
    match question.kind:
        case "flags":
            marks = _marks(session.draft)
            rest = "no other" if marks else "none"
            return f"{marks}hard fails: a letter for YES, {NONE} for {rest}, h for help > "
        case "flag":
            meaning = next((one.meaning for one in rubric.hard_fails if one.id == question.name), "")
            return f"{_asked(question.name, meaning, width)}\n{_now(session.draft.flags, question.name)}y n ? > "
        case "words":
            return f"words of the reply behind {question.name}, Enter for none > "
        case "note":
            return "note > "
    asked = next((one.question for one in rubric.axes if one.id == question.name), "")
    keys = f"0 to {AXIS_MAXIMUM - 1}, {TEN} = {AXIS_MAXIMUM}, ? > "
    return f"{_asked(question.name, asked, width)}\n{_now(session.draft.axes, question.name)}{keys}"


def _asked(name: str, text: str, width: int) -> str:
    room = max(min(width, WIDEST), _NARROWEST)
    lines = Text(one_line(f"{name}: {text}")).wrap(Console(width=width), room)
    return "\n".join(line.plain.rstrip() for line in lines)


def _marks(draft: Answers) -> str:
    """What is marked so far, for people."""
    said: Mapping[str, bool | None] = {"YES": True, "cannot tell": None, "NO": False}
    parts = []
    for word, value in said.items():
        names = [name for name, answer in draft.flags.items() if answer is value]
        parts += [f"{word}: {', '.join(names)}"] if names else []
    return f"[{'; '.join(parts)}]\n" if parts else ""


def _now(answers: Mapping[str, bool | float | None], name: str) -> str:
    """What was answered before, where the rater came back."""
    if name not in answers:
        return ""
    said = answers[name]
    shown = (
        "cannot tell" if said is None else {True: "YES", False: "NO"}[said] if isinstance(said, bool) else f"{said:g}"
    )
    return f"[{shown}; Enter keeps it, {LEAVE_OUT} leaves it out] "


def help_lines(dialogue: Dialogue, rubric: Rubric, width: int) -> Iterator[Text]:
    """The definitions behind the question, in full, and all keys."""
    question = dialogue.question
    console = Console(width=width)
    room = max(min(width, WIDEST) - 4, _NARROWEST)
    for head, texts in _definitions(question, dialogue, rubric):
        yield Text(f"  {head}", style="bold")
        for text in texts:
            for piece in Text(one_line(text)).wrap(console, room):
                piece.rstrip()
                yield Text("    ").append_text(piece)
    yield Text("  keys", style="bold")
    yield from (Text(f"    {key:<6} {meaning}") for key, meaning in _keys(question))


def _definitions(question: Question | None, dialogue: Dialogue, rubric: Rubric) -> Iterator[tuple[str, list[str]]]:
    asked = set(dialogue.letters.values()) if question and question.kind == "flags" else {question and question.name}
    for hard_fail in rubric.hard_fails:
        if hard_fail.id in asked:
            yield hard_fail.id, _of_hard_fail(hard_fail)
    for axis in rubric.axes:
        if axis.id in asked:
            yield axis.id, _of_axis(axis)


def _of_hard_fail(hard_fail: HardFail) -> list[str]:
    return [hard_fail.meaning, *(f"such as {example}" for example in hard_fail.examples)]


def _of_axis(axis: Axis) -> list[str]:
    return [
        axis.question,
        *(f"{score}: {meaning}" for score, meaning in axis.anchors.items()),
        *(f"sign: {tell}" for tell in axis.tells),
    ]


def _keys(question: Question | None) -> Iterator[tuple[str, str]]:
    match question.kind if question else None:
        case "flags":
            yield "letter", "YES; once more: cannot tell; once more: nothing"
            yield NONE, "NO to all that are not marked, and go on"
            yield "Enter", "go on, with those that are not marked left out"
        case "flag":
            yield "y n ?", "YES, NO, cannot tell"
            yield "Enter", "go on as it is"
            yield LEAVE_OUT, "leave it out"
        case "axis":
            yield f"0-{AXIS_MAXIMUM - 1} {TEN}", f"the score; {TEN} is {AXIS_MAXIMUM}"
            yield "?", "cannot tell"
            yield "Enter", "go on as it is"
            yield LEAVE_OUT, "leave it out"
    for command, meaning in _COMMANDS.items():
        yield command.value, meaning


def opening(progress: Progress, rater: str) -> str:
    """What is said at the beginning: who labels, how far they are, and how to get help."""
    so_far = f"{progress.labelled} of {progress.total} are labelled." if progress.labelled else ""
    other = "Somebody else gives --rater NAME." if rater == DEFAULT_RATER else ""
    parts = (f"You label as {one_line(rater, 60)}.", other, so_far, "h shows what the keys mean, q quits.")
    return " ".join(part for part in parts if part)


def parting(progress: Progress, labelled_now: int, run: str) -> str:
    """What is said at the end."""
    if progress.labelled == progress.total:
        return (
            f"{labelled_now} labelled now. All {progress.total} are labelled."
            f" `iamhumans calibrate {run}` holds the judge against them."
        )
    return f"{labelled_now} labelled now, {progress.labelled} of {progress.total} in all. The same command goes on."
