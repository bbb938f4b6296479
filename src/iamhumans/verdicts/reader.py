"""From what a judge printed to a verdict, or to the reason why there is none.

1. It never raises, whatever the text.
2. Dress is forgiven and each repair recorded; meaning is strict. Nothing is clamped, filled in or guessed.
3. A verdict that stands in the reply or in the conversation is never taken for the judge's.
4. Two verdicts that disagree are none.
"""

from __future__ import annotations

from collections.abc import Sequence

from iamhumans.rubrics import Rubric
from iamhumans.verdicts.answers import find_claims, foreign_claims, one_claim, without_claim
from iamhumans.verdicts.blocks import clean_answer
from iamhumans.verdicts.claims import VerdictClaim, read_claim, take_exactly
from iamhumans.verdicts.forms import verdict_form
from iamhumans.verdicts.model import Asked, MaybeVerdict, Reason, Unjudged


def read_verdict(text: str, rubric: Rubric, asked: Asked = Asked()) -> MaybeVerdict:  # noqa: B008 - it is frozen
    """Read an answer of a judge.

    Args:
        text: The whole answer, in whatever dress.
        rubric: Whose axes and hard fails the verdict must have.
        asked: What is known of the question: case, check token, reply, how the answer ended.
    """
    if asked.finish_reason == "content_filter":
        return Unjudged(Reason.CONTENT_FILTER, "the provider's filter stopped the answer")
    return take_exactly(text, rubric, asked) or _read_generally(text, rubric, asked)


def _read_generally(text: str, rubric: Rubric, asked: Asked) -> MaybeVerdict:
    """Read an answer in whatever dress and whatever company."""
    cleaned = clean_answer(text)
    form = verdict_form(rubric)
    claims = find_claims(cleaned.text, form, lambda block, ending: read_claim(block, rubric, asked, ending))
    if not claims:
        return without_claim(cleaned, asked.finish_reason, "verdict")
    outcome = one_claim(cleaned, claims, _not_quoted(claims, rubric, asked), asked.token, "verdict")
    if isinstance(outcome, Unjudged):
        return outcome
    claim, repairs = outcome
    return claim.verdict(repairs)


def _not_quoted(claims: Sequence[VerdictClaim], rubric: Rubric, asked: Asked) -> Sequence[VerdictClaim]:
    """The claims less those that say what a verdict in the reply or in the conversation says.

    Where more stands there than can be looked at, any claim may be from there, but for one with the right token.
    """
    foreign, complete = foreign_claims(
        (asked.reply or "", *asked.conversation),
        verdict_form(rubric),
        lambda block, ending: read_claim(block, rubric, Asked(), ending),
    )
    if not complete:
        return [claim for claim in claims if claim.has_token(asked.token)]
    if not foreign:
        return claims
    signatures = {claim.signature for claim in foreign}
    return [claim for claim in claims if claim.has_token(asked.token) or claim.signature not in signatures]
