"""A config that came with somebody's files, written by somebody who wants a key, or wants to run a program."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.models.asking import ask
from tests.servers import ChatServer, redirect

from iamhumans.errors import IamhumansError, InputError
from iamhumans.models import Config, allow, is_allowed, load_config, open_model, powers, read_config

SECRET = "wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY"
KEY_TABLE = '[models.work]\nbase_url = "{url}"\nmodel = "m"\napi_key_env = "{variable}"\n'
RUN_TABLE = '[models.bot]\nmodel = "command/./program"\n'
FUNCTION_TABLE = '[models.bot]\nmodel = "python/bot_of_a_stranger:reply"\n'


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    """An environment with a home of its own and keys worth stealing."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "WORK_API_KEY": "work-key-123456",
        "OPENAI_API_KEY": "sk-openai-123456",
        "AWS_SECRET_ACCESS_KEY": SECRET,
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def write(folder: Path, text: str) -> Path:
    path = folder / "iamhumans.toml"
    path.write_text(text)
    return path


def program(folder: Path) -> None:
    """A program that leaves a trace where it runs."""
    path = folder / "program"
    path.write_text(f"#!{sys.executable} -IS\nopen('ran', 'w').close(); print('ran')\n")
    path.chmod(0o755)


def assert_refused(config: Config, name: str, environ: Mapping[str, str]) -> InputError:
    with pytest.raises(InputError, match="iamhumans allow") as caught:
        open_model(name, config, environ=environ)
    return caught.value


# Keys


def test_a_key_variable_is_not_used_until_it_is_allowed(project: Path, environ: Mapping[str, str]) -> None:
    with ChatServer() as server:
        path = write(project, KEY_TABLE.format(url=server.openai_url, variable="WORK_API_KEY"))
        error = assert_refused(read_config(path), "work", environ)
        assert error.where.line == 4
        allow(read_config(path), environ)
        ask(open_model("work", read_config(path), environ=environ))
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer work-key-123456"]


def test_a_secret_of_another_kind_is_not_sent_and_is_warned_about(project: Path, environ: Mapping[str, str]) -> None:
    config = read_config(write(project, KEY_TABLE.format(url="https://evil.example", variable="AWS_SECRET_ACCESS_KEY")))
    assert_refused(config, "work", environ)
    (power,) = powers(config)
    assert "https://evil.example" in str(power)
    assert any("AWS_SECRET_ACCESS_KEY" in warning for warning in power.warnings)


def test_the_key_of_a_provider_to_another_host_is_warned_about(project: Path) -> None:
    table = KEY_TABLE.format(url="https://api.openai.com.evil.example/v1", variable="OPENAI_API_KEY")
    (power,) = powers(read_config(write(project, table)))
    assert any("is not openai" in warning for warning in power.warnings)


def test_the_key_of_a_provider_to_that_provider_is_no_reason_to_warn(project: Path) -> None:
    table = KEY_TABLE.format(url="https://api.openai.com/v1", variable="OPENAI_API_KEY")
    assert powers(read_config(write(project, table)))[0].warnings == ()


def test_a_key_over_plain_http_is_warned_about_unless_it_stays_here(project: Path) -> None:
    there = KEY_TABLE.format(url="http://llm.example/v1", variable="WORK_API_KEY")
    here = KEY_TABLE.format(url="http://127.0.0.1:8080/v1", variable="WORK_API_KEY")
    assert "unencrypted" in powers(read_config(write(project, there)))[0].warnings[0]
    assert powers(read_config(write(project, here)))[0].warnings == ()


def test_another_key_for_a_provider_needs_to_be_allowed(project: Path, environ: Mapping[str, str]) -> None:
    config = read_config(write(project, '[models.x]\nmodel = "openai/gpt-5"\napi_key_env = "AWS_SECRET_ACCESS_KEY"\n'))
    assert_refused(config, "x", environ)


def test_a_server_without_a_key_needs_no_leave_and_gets_none(project: Path, environ: Mapping[str, str]) -> None:
    with ChatServer() as server:
        path = write(project, f'[models.server]\nbase_url = "{server.openai_url}"\nmodel = "openai/gpt-5.1"\n')
        ask(open_model("server", read_config(path), environ=environ))
    sent = repr((server.requests[0].headers, server.requests[0].path, server.requests[0].body))
    assert "authorization" not in server.requests[0].headers
    assert not any(environ[name] in sent for name in environ if name.endswith("KEY"))


def test_a_server_in_anthropic_s_format_gets_no_key_either(project: Path, environ: Mapping[str, str]) -> None:
    with ChatServer() as server:
        table = f'[models.server]\nbase_url = "{server.url}"\nmodel = "claude"\nwire = "anthropic"\n'
        ask(open_model("server", read_config(write(project, table)), environ={**environ, "ANTHROPIC_API_KEY": SECRET}))
    assert "x-api-key" not in server.requests[0].headers


def test_an_allowed_key_does_not_follow_a_redirect(project: Path, environ: Mapping[str, str]) -> None:
    with ChatServer() as thief, ChatServer([redirect(thief.openai_url)]) as server:
        path = write(project, KEY_TABLE.format(url=server.openai_url, variable="WORK_API_KEY"))
        allow(read_config(path), environ)
        with pytest.raises(Exception, match="Redirects are not followed"):
            ask(open_model("work", read_config(path), environ=environ))
        assert thief.count == 0


def test_a_table_named_like_a_provider_is_refused_even_if_it_is_allowed(
    project: Path, environ: Mapping[str, str]
) -> None:
    path = write(project, '[models.openai]\nbase_url = "https://evil.example"\nmodel = "gpt"\n')
    with pytest.raises(InputError, match="reserved"):
        load_config(path, project, environ)


def test_a_config_cannot_move_a_built_in_provider(project: Path, environ: Mapping[str, str]) -> None:
    path = write(project, '[models."openai/gpt-5.1"]\nbase_url = "https://evil.example"\nmodel = "gpt"\n')
    with pytest.raises(InputError):
        load_config(path, project, environ)


# Programs and functions


@pytest.mark.parametrize("table", [RUN_TABLE, FUNCTION_TABLE], ids=["program", "function"])
def test_nothing_of_a_stranger_runs_until_it_is_allowed(project: Path, environ: Mapping[str, str], table: str) -> None:
    program(project)
    (project / "bot_of_a_stranger.py").write_text("open('ran', 'w').close()\ndef reply(messages): return 'ran'\n")
    assert_refused(read_config(write(project, table)), "bot", environ)
    assert not (project / "ran").exists()
    assert "bot_of_a_stranger" not in sys.modules


def test_an_allowed_program_runs(project: Path, environ: Mapping[str, str]) -> None:
    program(project)
    config = read_config(write(project, RUN_TABLE))
    allow(config, environ)
    assert ask(open_model("bot", config, environ=environ)).answer.text == "ran"


def test_a_program_that_the_user_typed_is_the_user_s_decision(project: Path, environ: Mapping[str, str]) -> None:
    program(project)
    config = read_config(write(project, RUN_TABLE))
    assert ask(open_model("command/./program", config, environ=environ, folder=project)).answer.text == "ran"


def test_other_tables_of_the_file_can_be_used_without_leave(project: Path, environ: Mapping[str, str]) -> None:
    with ChatServer() as server:
        table = f'[models.server]\nbase_url = "{server.openai_url}"\nmodel = "m"\n'
        ask(open_model("server", read_config(write(project, RUN_TABLE + table)), environ=environ))
        assert server.count == 1


def test_an_address_beside_a_command_makes_it_a_plain_name(project: Path, environ: Mapping[str, str]) -> None:
    with ChatServer() as server:
        program(project)
        table = f'[models.bot]\nbase_url = "{server.openai_url}"\nmodel = "command/./program"\n'
        ask(open_model("bot", read_config(write(project, table)), environ=environ))
        assert server.bodies[0]["model"] == "command/./program"
    assert not (project / "ran").exists()


# Changes and places


def test_any_change_of_the_file_needs_leave_again(project: Path, environ: Mapping[str, str]) -> None:
    program(project)
    allow(read_config(write(project, RUN_TABLE)), environ)
    changed = read_config(write(project, RUN_TABLE + "\n"))
    assert "changed since" in assert_refused(changed, "bot", environ).message


def test_the_same_content_elsewhere_needs_leave_of_its_own(
    project: Path, tmp_path: Path, environ: Mapping[str, str]
) -> None:
    allow(read_config(write(project, RUN_TABLE)), environ)
    other = tmp_path / "other"
    other.mkdir()
    program(other)
    assert_refused(read_config(write(other, RUN_TABLE)), "bot", environ)


def test_a_link_to_an_allowed_config_runs_nothing_of_its_own_folder(
    project: Path, tmp_path: Path, environ: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program(project)
    allow(read_config(write(project, RUN_TABLE)), environ)
    evil = tmp_path / "evil"
    evil.mkdir()
    program(evil)
    (evil / "iamhumans.toml").symlink_to(project / "iamhumans.toml")
    monkeypatch.chdir(evil)
    ask(open_model("bot", load_config(None, evil, environ), environ=environ))
    assert (project / "ran").exists()
    assert not (evil / "ran").exists()


def test_a_link_that_is_swapped_after_the_leave_is_refused(
    project: Path, tmp_path: Path, environ: Mapping[str, str]
) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text(KEY_TABLE.format(url="https://llm.example", variable="WORK_API_KEY"))
    bad.write_text(KEY_TABLE.format(url="https://evil.example", variable="WORK_API_KEY"))
    link = project / "iamhumans.toml"
    link.symlink_to(good)
    allow(read_config(link), environ)
    link.unlink()
    link.symlink_to(bad)
    assert_refused(read_config(link), "work", environ)


def test_a_file_that_is_swapped_after_it_was_read_changes_nothing(project: Path, environ: Mapping[str, str]) -> None:
    shown = read_config(write(project, KEY_TABLE.format(url="https://llm.example", variable="WORK_API_KEY")))
    write(project, KEY_TABLE.format(url="https://evil.example", variable="WORK_API_KEY"))
    allow(shown, environ)
    assert not is_allowed(read_config(project / "iamhumans.toml"), environ)


# Where a config is searched for


def test_a_config_beside_the_suite_is_found_from_anywhere(tmp_path: Path, environ: Mapping[str, str]) -> None:
    suite, elsewhere = tmp_path / "mine" / "suite", tmp_path / "elsewhere"
    suite.mkdir(parents=True)
    elsewhere.mkdir()
    path = write(tmp_path / "mine", '[models.server]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n')
    assert load_config(None, elsewhere, environ).path is None
    assert load_config(None, elsewhere, environ, beside=suite).path == path


def test_the_config_of_the_working_folder_comes_before_that_beside_the_suite(
    project: Path, tmp_path: Path, environ: Mapping[str, str]
) -> None:
    suite = tmp_path / "mine" / "suite"
    suite.mkdir(parents=True)
    write(tmp_path / "mine", "")
    write(project, "")
    assert load_config(None, project, environ, beside=suite).path == project / "iamhumans.toml"


def test_a_config_beside_the_suite_sends_no_key_until_it_is_allowed(
    project: Path, tmp_path: Path, environ: Mapping[str, str]
) -> None:
    write(project, KEY_TABLE.format(url="https://evil.example", variable="WORK_API_KEY"))
    assert_refused(load_config(None, tmp_path, environ, beside=project), "work", environ)


# Files of other users


def foreign(path: Path) -> int | None:
    """Make a path somebody else's; returns the user to read it as."""
    if os.geteuid() == 0:
        os.chown(path, 54_321, -1)
        return None
    return os.geteuid() + 1


@pytest.mark.parametrize("whose", ["file", "folder"])
def test_a_config_of_another_user_that_was_found_is_not_used(
    tmp_path: Path, environ: Mapping[str, str], whose: str
) -> None:
    parent = tmp_path / "shared"
    below = parent / "mine" / "work"
    below.mkdir(parents=True)
    path = write(parent, '[models.server]\nbase_url = "https://evil.example"\nmodel = "m"\n')
    user = foreign(path if whose == "file" else parent)
    with pytest.raises(InputError, match="another user"):
        load_config(None, below, environ, user=user)


def test_a_link_of_another_user_is_not_used(project: Path, tmp_path: Path, environ: Mapping[str, str]) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a link away")
    mine = tmp_path / "mine.toml"
    mine.write_text("")
    (project / "iamhumans.toml").symlink_to(mine)
    os.lchown(project / "iamhumans.toml", 54_321, -1)
    with pytest.raises(InputError, match="another user"):
        load_config(None, project, environ)


def test_a_config_of_another_user_is_used_once_it_is_allowed(project: Path, environ: Mapping[str, str]) -> None:
    user = foreign(write(project, ""))
    allow(read_config(project / "iamhumans.toml", user=user), environ)
    assert load_config(None, project, environ, user=user).foreign


def test_a_config_of_another_user_that_was_named_still_needs_leave_for_keys(
    project: Path, environ: Mapping[str, str]
) -> None:
    path = write(project, KEY_TABLE.format(url="https://evil.example", variable="WORK_API_KEY"))
    user = foreign(path)
    assert_refused(load_config(path, project, environ, user=user), "work", environ)


def test_a_power_is_shown_whole_and_harmless(project: Path) -> None:
    long = "x" * 900
    config = read_config(write(project, f"[models.bot]\nmodel = \"command/./program {long} 'rm -rf ~'\"\n"))
    assert "rm -rf ~" in str(powers(config)[0])


@pytest.mark.parametrize("hidden", ["\\u001b[8m", "\\u202e", "\\n", "\\u200b", "\\r"])
def test_a_program_cannot_hide_in_control_characters(project: Path, hidden: str) -> None:
    with pytest.raises(IamhumansError, match="printable"):
        read_config(write(project, f'[models.bot]\nmodel = "command/./program {hidden} x"\n'))
