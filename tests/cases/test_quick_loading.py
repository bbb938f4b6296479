"""What is skipped to load a suite fast says the same as what it stands for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.cases.manifest import Written, plainly_written
from iamhumans.cases.manifest_file import ManifestFile
from iamhumans.rubrics import BUNDLED, bundled_hard_fail_ids, load_rubric
from iamhumans.text import YamlReading
from iamhumans.text.checked import checked

TEXTS = st.sampled_from(["", " ", "core", "a b", " padded  word "])
VALUES: st.SearchStrategy[Any] = st.one_of(
    TEXTS, st.lists(st.one_of(TEXTS, st.lists(TEXTS, max_size=1)), max_size=3), st.just({})
)
KEYS = st.sampled_from([*ManifestFile.model_fields, "nam", ""])


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_a_manifest_that_is_read_fast_is_read_as_when_it_is_checked_closely(value: dict[str, Any]) -> None:
    quick = plainly_written(YamlReading(value))
    if quick is None:
        return
    closely = checked(ManifestFile, YamlReading(value))
    assert quick == Written(**{name: getattr(closely, name) for name in closely.model_fields_set})


def test_an_ordinary_manifest_is_read_fast() -> None:
    assert plainly_written(YamlReading({"name": "mine", "languages": ["en", "vi"]})) == Written(
        name="mine", languages=("en", "vi")
    )


@pytest.mark.parametrize("name", BUNDLED)
def test_the_hard_fails_of_a_bundled_rubric_are_those_that_it_has_when_built(name: str) -> None:
    assert bundled_hard_fail_ids(name) == load_rubric(name).hard_fail_ids


def test_to_list_a_suite_neither_pydantic_nor_a_rubric_is_loaded(tmp_path: Path) -> None:
    program = (
        "import sys; sys.argv = ['iamhumans', 'cases', 'list', '--quiet']\n"
        "from iamhumans.cli.main import main\n"
        "try: main()\n"
        "except SystemExit:\n"
        "    print(sorted({'pydantic', 'iamhumans.rubrics.model'} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stderr == "[]\n"
