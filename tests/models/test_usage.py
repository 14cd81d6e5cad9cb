"""Tokens as endpoints spell them: each counted once."""

from __future__ import annotations

from typing import Any

import pytest

from evolif.models.usage import chat_usage, gemini_usage
from evolif.types import Usage

CHAT: dict[str, tuple[dict[str, Any], Usage]] = {
    "OpenAI counts reasoning inside": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 64},
            "completion_tokens_details": {"reasoning_tokens": 40},
        },
        Usage(100, 50, 64, 40),
    ),
    "xAI counts it beside, and images": (
        {
            "prompt_tokens": 37,
            "completion_tokens": 530,
            "total_tokens": 800,
            "prompt_tokens_details": {"text_tokens": 27, "image_tokens": 10, "cached_tokens": 8},
            "completion_tokens_details": {"reasoning_tokens": 233},
        },
        Usage(37, 763, 8, 233, 10),
    ),
    "Gemini's chat endpoint hides it in the total": (
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 95},
        Usage(10, 85, 0, 80),
    ),
    "DeepSeek's cache": (
        {
            "prompt_tokens": 30,
            "completion_tokens": 4,
            "total_tokens": 34,
            "prompt_cache_hit_tokens": 20,
            "prompt_cache_miss_tokens": 10,
        },
        Usage(30, 4, 20),
    ),
    "Anthropic's cache beside the prompt": (
        {
            "prompt_tokens": 3,
            "completion_tokens": 4,
            "total_tokens": 57,
            "cache_read_input_tokens": 40,
            "cache_creation_input_tokens": 10,
        },
        Usage(53, 4, 40),
    ),
    "Anthropic's cache inside the prompt": (
        {"prompt_tokens": 53, "completion_tokens": 4, "total_tokens": 57, "cache_read_input_tokens": 40},
        Usage(53, 4, 40),
    ),
    "reasoning at the top": (
        {"prompt_tokens": 1, "completion_tokens": 9, "total_tokens": 10, "reasoning_tokens": 7},
        Usage(1, 9, 0, 7),
    ),
    "parts larger than the whole": (
        {"prompt_tokens": 5, "completion_tokens": 6, "prompt_tokens_details": {"cached_tokens": 9, "image_tokens": 8}},
        Usage(5, 6, 5, 0, 5),
    ),
    "parts that are no numbers": (
        {
            "prompt_tokens": 5,
            "completion_tokens": 6,
            "total_tokens": True,
            "prompt_tokens_details": {"cached_tokens": "4"},
            "completion_tokens_details": [1],
        },
        Usage(5, 6),
    ),
    "no answer tokens": ({"prompt_tokens": 5, "total_tokens": 9}, Usage()),
}


@pytest.mark.parametrize("name", CHAT)
def test_a_chat_endpoint_is_read_in_its_own_spelling(name: str) -> None:
    reported, usage = CHAT[name]
    assert chat_usage(reported) == usage


@pytest.mark.parametrize("reported", [None, [], "usage", {"prompt_tokens": -1, "completion_tokens": 2}])
def test_what_is_no_usage_is_unknown(reported: object) -> None:
    assert chat_usage(reported) == Usage() == gemini_usage(reported, has_text=True)


def test_gemini_counts_thoughts_beside_the_answer_and_names_cache_and_images() -> None:
    reported = {
        "promptTokenCount": 300,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 70,
        "cachedContentTokenCount": 100,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": 42},
            {"modality": "IMAGE", "tokenCount": 258},
            "nonsense",
        ],
    }
    assert gemini_usage(reported, has_text=True) == Usage(300, 90, 100, 70, 258)
