"""Where the models besides those under test are asked, if `--base-url` says where those are."""

from __future__ import annotations

from collections.abc import Iterator

from evolif.config import EvalConfig
from evolif.errors import UsageError
from evolif.models import address_of, parse_model_name
from evolif.models.endpoint import missing_key, shown
from evolif.models.open import takes_base_url

_SERVICES = {"openai": "OpenAI", "google": "Google"}


def notes_on_addresses(config: EvalConfig) -> Iterator[str]:
    """Which other models are asked at a service's own address, although `--base-url` is given; a sentence each.

    Without this a judge would silently get the conversations of models that somebody keeps on a machine of their own.

    Raises:
        UsageError: one has no address, and the service's own one would need a key that is not there.
    """
    if config.base_url is None:
        return
    for role, flag, spec in _others(config):
        name = parse_model_name(spec)
        service = _SERVICES.get(name.provider)
        if service is None or not takes_base_url(name) or address_of(name) is not None:
            continue
        mend = f"{flag} {shown(name.plain, '')}?base_url=URL&key_env=VARIABLE"
        variable = missing_key(name)
        if variable:
            raise UsageError(
                f"{role}: {shown(name.plain, '')} has no address, and --base-url is only for models under test that "
                f"do not name one; give it its own with {mend} (without key_env if the server needs no key). Only if "
                f"{service}'s own service is meant, set {variable}"
            )
        yield (
            f"{shown(name.plain, '')}, {role}, is asked at {service}'s own service and gets conversations to read: "
            f"--base-url is only for models under test. For another address: {mend}."
        )


def _others(config: EvalConfig) -> Iterator[tuple[str, str, str]]:
    """(role, flag, name) of models that are given by name and not under test."""
    seats = [
        *(("the judge", "--judge", judge) for judge in config.judges),
        ("the partner", "--partner", config.partner),
        ("the context model", "--context-model", config.context_model),
        *(("the synthesizer", "--synthesizer", one) for one in config.synthesizers),
        ("the checker", "--checker", config.checker),
    ]
    for role, flag, model in seats:
        if isinstance(model, str) and "/" in model:  # else a word, such as lexical, self or template
            yield role, flag, model
