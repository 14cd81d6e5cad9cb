"""The terminal application of the review (extra `review`, which brings Textual)."""

from evolif.review.app.app import ReviewApp

__all__ = ["ReviewApp"]
