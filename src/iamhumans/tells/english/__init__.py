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

RULES: tuple[Rule, ...] = (
    *fabricated_biography.RULES,
    *manipulation.RULES,
    *sycophancy.RULES,
    *empty_validation.RULES,
    *refusal.RULES,
    *structure.RULES,
    *performed_empathy.RULES,
    *joy_undercut.RULES,
    *pity.RULES,
    *lecturing.RULES,
    *extended.RULES,
    *stock_phrases.RULES,
    *rhythm.RULES,
    *honesty.RULES,
)

__all__ = ["RULES"]
