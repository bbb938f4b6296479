"""The rules for English: one module for each hard fail or axis."""

from iamhumans.tells.english import (
    empty_validation,
    extended,
    fabricated_biography,
    honesty,
    joy_undercut,
    lecturing,
    manipulation,
    performed_empathy,
    pity,
    refusal,
    rhythm,
    stock_phrases,
    structure,
    sycophancy,
)
from iamhumans.tells.rule import Rule

_MODULES = (
    fabricated_biography, manipulation, sycophancy, empty_validation, refusal, structure, performed_empathy,
    joy_undercut, pity, lecturing, extended, stock_phrases, rhythm, honesty,
)  # fmt: skip
RULES: tuple[Rule, ...] = tuple(rule for module in _MODULES for rule in module.RULES)
