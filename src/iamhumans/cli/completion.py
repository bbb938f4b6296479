"""``iamhumans completion``: the completion script of a shell."""

import click
from click.shell_completion import get_completion_class

from iamhumans.cli.options import common_options
from iamhumans.cli.output import print_json
from iamhumans.errors import CannotRunError


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common_options
def completion(shell: str, as_json: bool) -> None:
    """Print the script that makes SHELL complete commands and options.

    Example: eval "$(iamhumans completion bash)"
    """
    from iamhumans.cli.main import root

    found = get_completion_class(shell)
    if found is None:
        raise CannotRunError(f"There is no completion for {shell}.")
    try:
        script = found(root, {}, "iamhumans", "_IAMHUMANS_COMPLETE").source()
    except RuntimeError as error:
        raise CannotRunError(f"{shell} cannot complete: {error}.") from None
    print_json({"shell": shell, "script": script}) if as_json else click.echo(script)
