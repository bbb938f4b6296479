"""Chat endpoints. The only code that touches the network.

What reads configs is loaded when it is first asked for: most commands need no more of a model than what one is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iamhumans.loading import loaded_later
from iamhumans.models.model import (
    ChatModel,
    FailureKind,
    Limits,
    ModelFailure,
    ModelIdentity,
    Prices,
    Reception,
    Usage,
)
from iamhumans.models.names import ModelName, parse_model_name
from iamhumans.models.providers import PROVIDERS, Provider

if TYPE_CHECKING:
    from iamhumans.models.catalog import open_model
    from iamhumans.models.config import CONFIG_NAME, Config, find_config, read_config
    from iamhumans.models.trust import Power, allow, allowed_path, is_allowed, load_config, powers

__all__ = [
    "CONFIG_NAME",
    "PROVIDERS",
    "ChatModel",
    "Config",
    "FailureKind",
    "Limits",
    "ModelFailure",
    "ModelIdentity",
    "ModelName",
    "Power",
    "Prices",
    "Provider",
    "Reception",
    "Usage",
    "allow",
    "allowed_path",
    "find_config",
    "is_allowed",
    "load_config",
    "open_model",
    "parse_model_name",
    "powers",
    "read_config",
]

_LATER = {
    "catalog": ("open_model",),
    "config": ("CONFIG_NAME", "Config", "find_config", "read_config"),
    "trust": ("Power", "allow", "allowed_path", "is_allowed", "load_config", "powers"),
}

__getattr__ = loaded_later(__name__, _LATER)
