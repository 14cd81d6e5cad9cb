"""What all tests share.

Properties are tried on 25 examples; `--hypothesis-profile thorough`, which the CI uses, takes 100.
"""

from hypothesis import settings

# How long an example takes says nothing about whether it is right.
settings.register_profile("quick", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None)
settings.load_profile("quick")
