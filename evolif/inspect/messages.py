"""Our messages as Inspect's."""

from __future__ import annotations

import base64
from typing import Any

from evolif.types import Message

_NO_PICTURE = "[a picture that the run does not hold]"


def to_inspect(message: Message, **more: Any) -> Any:
    """A message as an `inspect_ai.model.ChatMessage`, with its pictures.

    Args:
        message: The message.
        more: Other fields of the message, such as `model` and `metadata`.
    """
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ContentImage, ContentText

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    if not message.images:
        return kinds[message.role](content=message.content, **more)
    parts: list[Any] = [ContentText(text=message.content)]
    for image in message.images:
        if image.data:
            data = base64.b64encode(image.data).decode("ascii")
            parts.append(ContentImage(image=f"data:{image.media_type};base64,{data}"))
        else:
            parts.append(ContentText(text=_NO_PICTURE))
    return kinds[message.role](content=parts, **more)
