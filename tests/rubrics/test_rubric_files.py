"""A rubric of one's own: whole or as a difference, and what is said where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import EXTENDED, SEED

from iamhumans.errors import CommandError, InputError
from iamhumans.rubrics import Rubric, load_rubric

AXIS = """\
  - id: {id}
    title: Warmth
    question: Is it warm?
    anchors: {{10: warm, 5: tepid, 0: cold}}
"""
FAIL = "  - {{id: {id}, meaning: It does that.}}\n"


def axis(name: str) -> str:
    return AXIS.format(id=name)


def fail(name: str) -> str:
    return FAIL.format(id=name)


@pytest.fixture
def load(tmp_path: Path) -> Loader:
    return Loader(tmp_path)


class Loader:
    """Writes a rubric to a file and loads it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, text: str, name: str = "own.yaml") -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def __call__(self, text: str) -> Rubric:
        return load_rubric(str(self.write(text)))

    def error(self, text: str) -> InputError:
        with pytest.raises(InputError) as caught:
            self(text)
        assert caught.value.where.path == self.folder / "own.yaml"
        return caught.value


# --- what can be written


def test_a_whole_rubric_without_hard_fails(load: Loader) -> None:
    rubric = load(f"name: own\naxes:\n{axis('warmth')}scoring: {{pass_mark: 60}}\n")

    assert rubric.axis_ids == ("warmth",)
    assert rubric.hard_fail_ids == ()
    assert rubric.scoring.pass_mark == 60
    assert rubric.axes[0].anchors.items() == ((10, "warm"), (5, "tepid"), (0, "cold"))


def test_pass_mark_is_eighty_where_none_is_given(load: Loader) -> None:
    assert load(f"name: own\naxes:\n{axis('warmth')}").scoring.pass_mark == 80


def test_extends_alone_is_the_same_rubric(load: Loader) -> None:
    assert load("name: own\nextends: iamhumans\n").hash == SEED.hash


def test_without_takes_axes_and_hard_fails_away(load: Loader) -> None:
    rubric = load("name: own\nextends: iamhumans\nwithout: [pity, repair_quality]\n")

    assert rubric.axes == SEED.axes[:-1]
    assert rubric.hard_fail_ids == tuple(name for name in SEED.hard_fail_ids if name != "pity")


def test_all_hard_fails_can_be_taken_away(load: Loader) -> None:
    rubric = load(f"name: own\nextends: iamhumans\nwithout: [{', '.join(SEED.hard_fail_ids)}]\n")

    assert rubric.hard_fails == ()
    assert rubric.axes == SEED.axes


def test_additions_follow_what_is_there(load: Loader) -> None:
    rubric = load(f"name: own\nextends: iamhumans\naxes:\n{axis('warmth')}hard_fails:\n{fail('b')}{fail('a')}")

    assert rubric.axis_ids == (*SEED.axis_ids, "warmth")
    assert rubric.hard_fail_ids == (*SEED.hard_fail_ids, "b", "a")


def test_a_part_with_an_inherited_id_takes_its_place(load: Loader) -> None:
    rubric = load(f"name: own\nextends: iamhumans\naxes:\n{axis('empathy_fit')}hard_fails:\n{fail('pity')}")

    assert rubric.axis_ids == SEED.axis_ids
    assert rubric.hard_fail_ids == SEED.hard_fail_ids
    assert rubric.axes[1].question == "Is it warm?"
    assert rubric.hard_fails[8].meaning == "It does that."
    assert rubric.hard_fails[8].examples == ()


def test_a_part_that_is_taken_away_and_added_stands_last(load: Loader) -> None:
    rubric = load(f"name: own\nextends: iamhumans\nwithout: [manipulation]\nhard_fails:\n{fail('manipulation')}")

    assert rubric.hard_fail_ids[-1] == "manipulation"
    assert len(rubric.hard_fail_ids) == 10


def test_a_name_that_was_an_axis_can_become_a_hard_fail(load: Loader) -> None:
    rubric = load(f"name: own\nextends: iamhumans\nwithout: [naturalness]\nhard_fails:\n{fail('naturalness')}")

    assert "naturalness" not in rubric.axis_ids
    assert rubric.hard_fail_ids[-1] == "naturalness"


def test_note_on_scoring_is_inherited_and_can_be_changed(load: Loader) -> None:
    inherited = load("name: own\nextends: iamhumans\nscoring: {pass_mark: 65}\n").scoring
    own = load("name: own\nextends: iamhumans\nscoring: {note: Round down.}\n").scoring

    assert "N/A counts as 10" in (inherited.note or "")
    assert (own.note, own.pass_mark) == ("Round down.", 80)


def test_pass_mark_is_inherited_and_can_be_changed(load: Loader) -> None:
    load.write("name: base\nextends: iamhumans\nscoring: {pass_mark: 65}\n", "base.yaml")

    assert load("name: own\nextends: base.yaml\n").scoring.pass_mark == 65
    assert load("name: own\nextends: base.yaml\nscoring: {pass_mark: 0}\n").scoring.pass_mark == 0
    assert load("name: own\nextends: base.yaml\nscoring: {}\n").scoring.pass_mark == 65


def test_extends_goes_over_several_files(load: Loader) -> None:
    (load.folder / "below").mkdir()
    load.write(f"name: a\nextends: ../b.yaml\nhard_fails:\n{fail('a')}", "below/a.yaml")
    load.write(f"name: b\nextends: iamhumans-extended\nhard_fails:\n{fail('b')}", "b.yaml")

    assert load("name: own\nextends: below/a.yaml\n").hard_fail_ids == (*EXTENDED.hard_fail_ids, "b", "a")


def test_relative_path_starts_where_it_is_told(load: Loader) -> None:
    load.write("name: own\nextends: iamhumans\n")

    assert load_rubric("own.yaml", relative_to=load.folder).name == "own"


def test_yaml_words_are_strings(load: Loader) -> None:
    rubric = load(f"name: 'no'\naxes:\n{axis('no')}hard_fails:\n{fail('yes')}{fail('null')}")

    assert (rubric.name, rubric.axis_ids, rubric.hard_fail_ids) == ("no", ("no",), ("yes", "null"))


def test_default_of_an_axis(load: Loader) -> None:
    default = "    default: {value: 6, when: always, instead_of: ['3'], reason: Because.}\n"
    (found,) = load(f"name: own\naxes:\n{axis('warmth')}{default}").axes

    assert found.default is not None
    assert (found.default.value, found.default.when, found.default.instead_of) == (6, "always", ("3",))
    assert not found.may_be_na


# --- what is wrong with one


def test_no_such_bundled_rubric() -> None:
    with pytest.raises(CommandError, match="iamhumans-extended"):
        load_rubric("iamhuman")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_rubric(str(tmp_path / "own.yaml"))


WHOLE = f"name: own\naxes:\n{axis('warmth')}"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("name: own\nextends: iamhumans\nwithot: [pity]\n", 3, "Did you mean `without`", id="unknown key"),
        pytest.param(WHOLE + "    anchor: x\n", 7, "`axes.0.anchor` is not a known key", id="unknown key of an axis"),
        pytest.param(WHOLE + "scoring:\n  passmark: 80\n", 8, "scoring.passmark", id="unknown key of the scoring"),
        pytest.param(WHOLE + "scoring:\n  pass_mark: 101\n", 8, "101", id="pass mark above 100"),
        pytest.param(WHOLE + "scoring:\n  pass_mark: -1\n", 8, "-1", id="pass mark below 0"),
        pytest.param(WHOLE + "scoring:\n  pass_mark: high\n", 8, "high", id="pass mark that is a word"),
        pytest.param(WHOLE + "scoring:\n  pass_mark: 79.5\n", 8, "79.5", id="pass mark that is no whole number"),
        pytest.param(WHOLE + "scoring: 80\n", 7, "a mapping of keys", id="scoring that is a number"),
        pytest.param("extends: iamhumans\n", 1, "`name` is missing", id="no name"),
        pytest.param("name: a b\nextends: iamhumans\n", 1, "a b", id="name with a blank"),
        pytest.param("name: own\n", 1, "`axes`", id="no axes"),
        pytest.param(f"name: own\naxes: []\nhard_fails:\n{fail('a')}", 2, "at least 1", id="empty axes"),
        pytest.param("name: own\nwithout: [pity]\n" + WHOLE[10:], 2, "extends none", id="without without extends"),
        pytest.param(
            "name: own\nextends: iamhumans\nwithout:\n  - pity\n  - pithy\n",
            5,
            "no `pithy`",
            id="without what is not there",
        ),
        pytest.param(
            "name: own\nextends: iamhumans\nwithout: pity\n", 3, "should be a list", id="without that is a word"
        ),
        pytest.param("name: own\n\nextends: other.yaml\n", 3, "no rubric `other.yaml`", id="extends what is not there"),
        pytest.param("name: own\nextends: own.yaml\n", 2, "circle", id="extends itself"),
        pytest.param(WHOLE + axis("warmth"), 7, "`warmth` is used twice", id="an axis twice"),
        pytest.param(
            WHOLE + f"hard_fails:\n{fail('a')}{fail('b')}{fail('a')}", 10, "`a` is used twice", id="a hard fail twice"
        ),
        pytest.param(WHOLE + f"hard_fails:\n{fail('warmth')}", 8, "`warmth` is used twice", id="axis and hard fail"),
        pytest.param(
            f"name: own\nextends: iamhumans\nhard_fails:\n{fail('naturalness')}",
            4,
            "`naturalness` is used twice",
            id="a hard fail with the id of an inherited axis",
        ),
        pytest.param(
            f"name: own\nextends: iamhumans\naxes:\n{axis('pity')}",
            4,
            "`pity` is used twice",
            id="an axis with the id of an inherited hard fail",
        ),
        pytest.param(WHOLE + "hard_fails:\n  - id: a\n", 8, "`hard_fails.0.meaning` is missing", id="no meaning"),
        pytest.param(WHOLE.replace("0: cold", "1: cold"), 6, "anchors", id="an anchor at 1"),
        pytest.param(WHOLE.replace(", 0: cold", ""), 6, "`axes.0.anchors.0` is missing", id="no anchor at 0"),
        pytest.param(WHOLE.replace("question: Is it warm?", "question: ''"), 5, "axes.0.question", id="empty question"),
        pytest.param(WHOLE.replace("id: warmth", "id: Warmth"), 3, "Warmth", id="capital in an id"),
        pytest.param(WHOLE.replace("id: warmth", "id: warm-th"), 3, "warm-th", id="dash in an id"),
        pytest.param(WHOLE.replace("id: warmth", "id: warmth_"), 3, "warmth_", id="underscore at the end of an id"),
        pytest.param(
            WHOLE.replace("id: warmth", "id: total"), 3, "key of every verdict", id="an id that a verdict needs"
        ),
        pytest.param(
            WHOLE + f"hard_fails:\n{fail('evidence')}",
            8,
            "key of every verdict",
            id="a hard fail that a verdict needs",
        ),
        pytest.param(
            WHOLE + "    default: {value: 11, when: always, reason: x}\n", 7, "default.value", id="a default above 10"
        ),
        pytest.param(
            WHOLE + "    default: {value: 10, when: sometimes, reason: x}\n",
            7,
            "default.when",
            id="a default at odd times",
        ),
        pytest.param("name: own\nname: other\n" + WHOLE[10:], 2, "is given twice", id="a key twice"),
        pytest.param("- name\n", 1, "a mapping of keys", id="a list"),
        pytest.param("", 1, "`name` is missing", id="nothing"),
        pytest.param("name: own\naxes: [\n", 3, "not YAML", id="no yaml"),
        pytest.param("name: &n own\nextends: *n\n", 2, "alias", id="an alias"),
    ],
)
def test_error_names_file_and_line(load: Loader, text: str, line: int, words: str) -> None:
    error = load.error(text)

    assert error.where.line == line
    assert words in error.message


def test_an_error_of_the_file_below_is_named_there(load: Loader) -> None:
    below = load.write("name: base\nextends: iamhumans\nwithout: [x]\n", "base.yaml")

    with pytest.raises(InputError) as caught:
        load("name: own\nextends: base.yaml\n")

    assert str(caught.value.where) == f"{below}:3"


def test_circle_over_two_files(load: Loader) -> None:
    load.write("name: a\nextends: own.yaml\n", "a.yaml")

    with pytest.raises(InputError, match="circle"):
        load("name: own\nextends: a.yaml\n")


def test_circle_that_takes_parts_away(load: Loader) -> None:
    assert "circle" in load.error("name: own\nextends: own.yaml\nwithout: [pity]\n").what


def test_file_below_that_is_a_folder(load: Loader) -> None:
    (load.folder / "sub").mkdir()

    assert load.error("name: own\nextends: sub\n").where.line == 2
