"""Opening models that run on this machine: programs and functions."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from iamhumans.models.functions import FunctionModel, load_function
from iamhumans.models.model import ChatModel, ModelIdentity
from iamhumans.models.names import COMMAND, FUNCTION
from iamhumans.models.programs import ProgramModel, read_program
from iamhumans.models.wanted import Wanted

_USELESS = ("wire", "api_key_env", "temperature", "top_p", "max_tokens", "seed", "structured")


def open_program(wanted: Wanted) -> ChatModel:
    """The model of ``command/PROGRAM``.

    Raises:
        CommandError: There is no such program.
        InputError: The table sets something that no program is told.
    """
    wanted.refuse(_USELESS, "a program gets the conversation and nothing else")
    program = read_program(wanted.model.rest, wanted.folder, wanted.environ, wanted.key_variables())
    files = [wanted.folder / argument for argument in program.arguments]
    return ProgramModel(_identity(wanted, COMMAND, files), program, wanted.redactor())


def open_function(wanted: Wanted) -> ChatModel:
    """The model of ``python/module:function``; imports the module.

    Raises:
        CommandError: There is no such function.
        InputError: The table sets something that no function is told.
    """
    wanted.refuse(_USELESS, "a function gets the messages and nothing else")
    function = load_function(wanted.model.rest, wanted.folder)
    source = getattr(sys.modules.get(wanted.model.rest.partition(":")[0]), "__file__", None)
    return FunctionModel(_identity(wanted, FUNCTION, [Path(source)] if source else []), function, wanted.redactor())


def _identity(wanted: Wanted, provider: str, files: list[Path]) -> ModelIdentity:
    """The files of a program belong to its identity: who changes the program changes the subject."""
    digest = hashlib.sha256()
    for path in files:
        if path.is_file():
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    settings = {"files": digest.hexdigest()}
    return ModelIdentity(wanted.name, provider, wanted.model.rest, settings, wanted.prices, wanted.limits)
