"""The terminal application of the review; needs the extra `review` (Textual)."""

from evolif.review.app._app import ReviewApp

__all__ = ["ReviewApp"]
