"""Small tools that know nothing of conversations: data and files, limits of a machine, chance, what was meant."""

__all__: list[str] = []
