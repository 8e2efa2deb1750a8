"""Usage errors in our own words, one line each; what is not known here keeps click's."""

from __future__ import annotations

import click
from click import exceptions


def of(error: click.UsageError) -> str:
    """What is wrong with the words of a call, in one line."""
    if isinstance(error, exceptions.MissingParameter):
        return _missing(error)
    if isinstance(error, exceptions.NoSuchOption):
        return f"{error.option_name}: no such option"
    text = " ".join(error.format_message().split())
    return text.rstrip(".")


def _missing(error: exceptions.MissingParameter) -> str:
    parameter = error.param
    if parameter is None:
        return " ".join(error.format_message().split()).rstrip(".")
    if isinstance(parameter, click.Option):
        name = parameter.opts[-1]
        choices = getattr(parameter.type, "choices", None)
        values = f" {'|'.join(map(str, choices))}" if choices else ""
        return f"{name}{values} is missing"
    name = (
        parameter.make_metavar(error.ctx)
        if error.ctx
        else parameter.human_readable_name
    )
    if name.strip("[]") == "TITLE" and error.ctx and error.ctx.params.get("scope"):
        return "TITLE is missing: write it before --scope, which takes all the words behind it"
    return f"{name.strip('[]')} is missing"
