"""The loop of a labelling session: show a question, read an answer, store it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from iamhumans.cli.keyboard import keyboard
from iamhumans.cli.options import is_styled
from iamhumans.reports.labelling import news, opening, parting, prompt
from iamhumans.text import one_line
from iamhumans.trust.label_keys import Dialogue

if TYPE_CHECKING:
    from iamhumans.rubrics import Rubric
    from iamhumans.trust.label_session import LabelSession, Progress


@dataclass(frozen=True)
class Screen:
    """Where the rater reads, and how many columns there are."""

    out: IO[str]
    rubric: Rubric
    width: int

    def show(self, dialogue: Dialogue, before: Dialogue | None) -> None:
        """What is new, and the question."""
        # Without colours, rich would still write bold type.
        styled = is_styled(self.out)
        console = Console(file=self.out, width=self.width, highlight=False, color_system="standard" if styled else None)
        with console.capture() as captured:
            for line in news(dialogue, before, self.rubric, self.width):
                console.print(line, soft_wrap=True)
        self.out.write(captured.get() + prompt(dialogue, self.rubric, self.width))
        self.out.flush()

    def say(self, text: str) -> None:
        """A line or more of ours."""
        self.out.write(f"{text}\n")
        self.out.flush()


def ask(session: LabelSession, screen: Screen, run: str) -> Progress:
    """Ask until nothing is left to ask or the rater leaves. Every finished reply is stored before the next is shown."""
    before = session.state.progress.labelled
    dialogue, shown = Dialogue(session.state), None
    if session.state.current is not None:
        lines = Text(opening(session.state.progress, session.rater)).wrap(Console(width=screen.width), screen.width)
        screen.say("\n".join(line.plain.rstrip() for line in lines))
    with keyboard() as keys:
        while (question := dialogue.question) is not None:
            keys.expect(line=question.takes_line)
            screen.show(dialogue, shown)
            try:
                said = keys.line() if question.takes_line else keys.key()
            except EOFError:
                screen.say("")
                break
            if not (keys.echoes_lines if question.takes_line else keys.echoes_keys):
                screen.say(one_line(said))
            shown, dialogue = dialogue, dialogue.heard(said)
            session = session.moved(dialogue.session)
    progress = session.state.progress
    screen.say(parting(progress, progress.labelled - before, run))
    return progress
