"""The scenarios of this package, each a module that is imported when something names it."""

__all__: list[str] = []
