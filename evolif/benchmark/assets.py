"""Pictures of a benchmark, each stored once under the digest of its content."""

from __future__ import annotations

import re
from pathlib import Path

from evolif.benchmark.files import write_whole, writing
from evolif.errors import InputError, UsageError
from evolif.types import Image
from evolif.util.opened import read_file, refuse_links

_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_TYPES = {suffix: media_type for media_type, suffix in _SUFFIXES.items()}
_NAME = re.compile(r"([0-9a-f]{64})\.(png|jpg|gif|webp)")
_MOST_BYTES = 32 << 20


def store_image(root: Path, image: Image) -> str:
    """Store a picture and return its name, which a line of a dialogue can hold.

    Args:
        root: The benchmark's folder.
        image: The picture; one with the same content is stored already.

    Raises:
        UsageError: its media type is not one that models read.
        OutsideError: the folder cannot be written.
    """
    suffix = _SUFFIXES.get(image.media_type)
    if suffix is None:
        raise UsageError(f"pictures of the type {image.media_type} are not supported; use {', '.join(_SUFFIXES)}")
    name = f"{image.digest}.{suffix}"
    path = root / "assets" / name
    if not path.exists():
        with writing(path):
            path.parent.mkdir(exist_ok=True)
            write_whole(path, image.data)
    return name


def read_image(root: Path, name: str) -> Image:
    """The picture of a name that `store_image` returned.

    Raises:
        InputError: no such picture, or one with other content.
    """
    match = _NAME.fullmatch(name)
    path = root / "assets" / name
    if match is None:
        raise InputError(f"“{name[:100]}” is not the name of a picture; restore the line", path=root / "assets")
    try:
        refuse_links(root, (f"assets/{name}", "assets"))
        image = Image(read_file(path, _MOST_BYTES, mend="restore the file"), _TYPES[match[2]])
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror}); restore the file", path=path) from None
    if image.digest != match[1]:
        raise InputError("the picture was edited, or is damaged; restore the file", path=path)
    return image
