"""A rubric for people."""

from iamhumans.rubrics import Rubric
from iamhumans.text import for_terminal


def rubric_lines(shown: Rubric) -> list[str]:
    """All of it, line by line."""
    lines = [f"{shown.name}  {shown.hash}", shown.description, ""]
    for axis in shown.axes:
        lines.append(f"{axis.id}: {axis.question}")
        lines += [f"  {score:>2}  {meaning}" for score, meaning in axis.anchors.items()]
        lines += [f"   -  {tell}" for tell in axis.tells]
        if axis.default:
            instead = " or ".join(axis.default.instead_of)
            lines.append(f"   =  {axis.default.value} instead of {instead}: {axis.default.reason}")
    lines.append("")
    for hard_fail in shown.hard_fails:
        lines.append(f"{hard_fail.id}: {hard_fail.meaning}")
        lines += [f"   -  {example}" for example in hard_fail.examples]
    rule = "One YES makes the total 0; otherwise it is the mean of the axes times ten, a half rounded up."
    lines += ["", f"{rule} PASS from {shown.scoring.pass_mark}."]
    lines += [shown.scoring.note] if shown.scoring.note else []
    return [for_terminal(line) for line in lines]
