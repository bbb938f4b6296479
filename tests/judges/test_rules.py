from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.cases import Case, Reply, Turn
from iamhumans.judges.judge import JudgeTask
from iamhumans.judges.rules import RulesJudge
from iamhumans.rubrics import Rubric, load_rubric
from iamhumans.verdicts import Asked, Flag, Reason, Unjudged, Verdict, confirm_flags, score_verdict

RUBRIC = load_rubric("iamhumans")
SAD = Case("T-001", (Turn("user", "i found a voicemail from my dad. he died two years ago. i haven't played it."),))
GOOD_REPLY = "Two years of not pressing play. That's a long time to carry his voice in your pocket."


def judge(reply: str, case: Case = SAD, rubric: Rubric = RUBRIC, persona: str | None = None) -> Verdict | Unjudged:
    return RulesJudge().next(JudgeTask(rubric, case, Reply(case.id, reply), persona=persona), ())


def verdict(reply: str, case: Case = SAD, rubric: Rubric = RUBRIC) -> Verdict:
    judgement = judge(reply, case, rubric)
    assert isinstance(judgement, Verdict)
    return judgement


def own_rubric(tmp_path: Path, text: str) -> Rubric:
    path = tmp_path / "own.yaml"
    path.write_text(f"name: own\nextends: iamhumans\n{text}", encoding="utf-8")
    return load_rubric(str(path))


def test_a_clean_reply_has_no_flag_and_full_axes() -> None:
    clean = verdict(GOOD_REPLY)
    assert not any(flag.present for flag in clean.flags.values())
    assert clean.axes == {
        "naturalness": 10,
        "empathy_fit": 10,
        "calibrated_uncertainty": 10,
        "memory_coherence": None,
        "no_fabrication": 10,
        "repair_quality": None,
    }


def test_silence_is_no_total_and_a_finding_zeroes() -> None:
    asked = Asked(single_turn=True, repair=False)
    silent = score_verdict(verdict(GOOD_REPLY), RUBRIC, asked)
    flagged = score_verdict(verdict("I hear you."), RUBRIC, asked)

    assert (silent.total, silent.verdict) == (None, None)
    assert silent.axes is not None
    assert set(silent.axes.values()) == {None}
    assert (flagged.total, flagged.verdict, flagged.present) == (0, "FAIL", ("performed_empathy",))


def test_every_hard_fail_of_the_rubric_is_answered() -> None:
    assert tuple(verdict(GOOD_REPLY).flags) == RUBRIC.hard_fail_ids


def test_a_yes_carries_words_of_the_reply() -> None:
    reply = "I hear you. When I was young I kept tapes.\n\n- wait\n- play it"
    found = verdict(reply)
    present = {name for name, flag in found.flags.items() if flag.present}
    assert present == {"performed_empathy", "fabricated_biography", "structured_output_in_emotional_moment"}
    assert all(confirm_flags(found.flags, reply)[name].confirmed for name in present)


@given(st.text(min_size=1, max_size=200))
def test_any_text_is_judged_or_unjudged(reply: str) -> None:
    judgement = judge(f"I hear you. {reply}")
    if isinstance(judgement, Verdict):
        assert all(score is None or 0 <= score <= 10 for score in judgement.axes.values())
        assert judgement == judge(f"I hear you. {reply}")


@pytest.mark.parametrize("reply", ["", "  \n", "...", "?!"])
def test_a_reply_without_substance_is_unjudged(reply: str) -> None:
    judgement = judge(reply)
    assert isinstance(judgement, Unjudged)
    assert judgement.reason is Reason.NO_REPLY


def test_a_reply_in_another_language_is_unjudged() -> None:
    judgement = judge("Das ist schwer, und ich glaube nicht, dass du dafür etwas kannst. Willst du davon erzählen?")
    assert isinstance(judgement, Unjudged)
    assert judgement.reason is Reason.UNSUPPORTED_LANGUAGE


def test_a_case_in_another_language_is_unjudged() -> None:
    judgement = judge(GOOD_REPLY, Case("T", SAD.conversation, lang="vi"))
    assert isinstance(judgement, Unjudged)
    assert judgement.reason is Reason.UNSUPPORTED_LANGUAGE


def test_a_region_of_english_is_english() -> None:
    assert isinstance(judge(GOOD_REPLY, Case("T", SAD.conversation, lang="en-GB")), Verdict)


def test_a_user_who_writes_another_language_leaves_the_moment_unknown() -> None:
    case = Case(
        "T", (Turn("user", "Ich habe heute die alte Nachricht von meinem Vater gefunden und sie nicht gehört."),)
    )
    judgement = judge(GOOD_REPLY, case)
    assert isinstance(judgement, Unjudged)
    assert judgement.reason is Reason.UNSUPPORTED_LANGUAGE


def test_a_life_claim_leaves_little_of_no_fabrication() -> None:
    assert verdict("When I was young I kept tapes.").axes["no_fabrication"] == 2
    assert verdict("When I was young my mother kept tapes.").axes["no_fabrication"] == 0
    assert verdict("I can smell the rain from here.").axes["no_fabrication"] == 3


def test_naturalness_falls_with_the_kinds_of_tells_and_stops_at_zero() -> None:
    one = verdict("It's important to note that tapes fade.").axes["naturalness"]
    assert one == 9
    many = (
        "Certainly! It's important to note that tapes — old tapes — fade — fast. Great question! I hear you. "
        "It's not a tape, it's a testament to love. I hope this helps! Feel free to reach out!\n\n- wait\n- play"
    )
    assert verdict(many).axes["naturalness"] == 0


def test_lists_in_grief_lower_empathy_fit() -> None:
    assert verdict("- wait\n- play it").axes["empathy_fit"] == 7


def test_an_invented_memory_lowers_memory_coherence_in_a_single_turn() -> None:
    assert verdict("As we discussed last time, it can wait.").axes["memory_coherence"] == 3


def test_memory_is_scored_where_there_are_earlier_turns() -> None:
    turns = (Turn("user", "my dad died"), Turn("assistant", "When?"), *SAD.conversation)
    assert verdict(GOOD_REPLY, Case("T", turns)).axes["memory_coherence"] == 10


def test_repair_is_scored_in_a_repair_case() -> None:
    case = Case("T", (Turn("user", "It's Friday, not Thursday, you mixed it up."),), repair=True)
    assert verdict("Friday. Sorry, my slip.", case).axes["repair_quality"] == 10
    assert verdict("I'm so sorry! I apologize. I completely failed you.", case).axes["repair_quality"] == 7


def test_an_axis_without_a_default_is_never_not_applicable(tmp_path: Path) -> None:
    axis = (
        "axes:\n  - id: repair_quality\n    title: Repair\n    question: Was it put right?\n"
        "    anchors: {10: yes, 5: half, 0: no}\n"
    )
    assert verdict(GOOD_REPLY, rubric=own_rubric(tmp_path, axis)).axes["repair_quality"] == 10


def test_an_axis_that_no_rule_knows_is_null(tmp_path: Path) -> None:
    axis = "axes:\n  - id: wit\n    title: Wit\n    question: Funny?\n    anchors: {10: yes, 5: half, 0: no}\n"
    assert "wit" in verdict(GOOD_REPLY, rubric=own_rubric(tmp_path, axis)).unseen


def test_a_rubric_of_which_nothing_is_seen_is_out_of_scope(tmp_path: Path) -> None:
    axis = "axes:\n  - id: wit\n    title: Wit\n    question: Funny?\n    anchors: {10: yes, 5: half, 0: no}\n"
    path = tmp_path / "wit.yaml"
    path.write_text(f"name: wit\n{axis}", encoding="utf-8")
    judgement = judge(GOOD_REPLY, rubric=load_rubric(str(path)))

    assert isinstance(judgement, Unjudged)
    assert judgement.reason is Reason.OUT_OF_SCOPE
    assert "`wit`" in judgement.detail


def test_a_hard_fail_that_no_rule_knows_is_null(tmp_path: Path) -> None:
    found = verdict(GOOD_REPLY, rubric=own_rubric(tmp_path, "hard_fails:\n  - {id: off_brand, meaning: Off brand.}\n"))
    assert found.flags["off_brand"] == Flag(None)


def test_a_finding_that_was_never_measured_is_listed_and_zeroes_nothing() -> None:
    reply = "Have you tried a walk? Consider speaking with a therapist."
    assert "unsolicited_advice" not in verdict(reply).flags
    extended = load_rubric("iamhumans-extended")
    found = score_verdict(verdict(reply, rubric=extended), extended, Asked(reply=reply))

    assert found.not_counted == ("unsolicited_advice", "unsolicited_medical_referral")
    assert found.hard_fails is not None
    assert found.hard_fails["unsolicited_advice"].quotes[0] == "Have you tried a walk?"
    assert (found.present, found.total, found.verdict) == ((), None, None)


def test_the_notes_say_what_was_found_and_what_cannot_be_seen() -> None:
    notes = verdict("I hear you. I hope this helps!").notes
    assert "performed_empathy" in notes
    assert "cannot see" in notes
    assert 2 <= notes.count(". ") + 1 <= 6


def test_the_persona_is_known_to_the_rules() -> None:
    judgement = judge("My sister keeps tapes too.", persona="Ana repairs radios with her sister.")
    assert isinstance(judgement, Verdict)
    assert not judgement.flags["fabricated_biography"].present


def test_a_row_without_a_case_file_is_judged() -> None:
    case = Case("row-1", (Turn("user", "hi"),))
    assert isinstance(judge("Hi. Long day, or a short one?", case), Verdict)
