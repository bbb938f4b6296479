"""Files of ``NAME=value`` lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.errors import InputError
from iamhumans.text import read_env_file

NAMES = st.from_regex(r"[A-Z_][A-Z0-9_]{0,20}", fullmatch=True)
VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="'\"#"), max_size=40)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("A = b", "b"),
        ("export A=b", "b"),
        ("A='b c'", "b c"),
        ('A="b # c"  # the key', "b # c"),
        ("A=b # the key", "b"),
        ("A=b#c", "b#c"),
        ("A=", ""),
        ("A=$HOME", "$HOME"),
    ],
)
def test_a_line_is_read_as_other_tools_read_it(tmp_path: Path, line: str, value: str) -> None:
    (tmp_path / "keys").write_text(f"# keys\n\n{line}\r\n", encoding="utf-8")
    assert read_env_file(tmp_path / "keys") == {"A": value}


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "keys").write_bytes(b"\xef\xbb\xbfA=b\n")
    assert read_env_file(tmp_path / "keys") == {"A": "b"}


def test_a_wrong_line_is_named_and_not_shown(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("A=b\nsk-secret-key-123456789\n")
    with pytest.raises(InputError, match=r"keys:2") as raised:
        read_env_file(tmp_path / "keys")
    assert "sk-secret" not in raised.value.message


@given(variables=st.dictionaries(NAMES, VALUES))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, variables: dict[str, str]) -> None:
    path = tmp_path_factory.mktemp("env") / "keys"
    path.write_text("".join(f"{name}='{value}'\n" for name, value in variables.items()))
    assert read_env_file(path) == variables
