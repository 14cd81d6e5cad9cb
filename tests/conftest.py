"""What all tests share."""

from hypothesis import settings

# How long an example takes says nothing about whether it is right.
settings.register_profile("evolif", deadline=None)
settings.load_profile("evolif")
