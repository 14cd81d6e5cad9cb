"""Opening a causal language model for training: weights that evolif has fetched, a GGUF file, or a name or folder."""

from __future__ import annotations

from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

from evolif import UsageError
from evolif.models.weights import find_weights, weight_path


def open_weights(name: str, device: str) -> tuple[Any, Any]:
    """A model in 32 bits and its tokenizer.

    Args:
        name: Weights of evolif's catalogue, such as `smollm2-135m`; a GGUF file; or what `from_pretrained` takes.
            Weights of a GGUF file are unpacked.
        device: Where it runs, such as `cpu` or `cuda`.

    Raises:
        UsageError: it cannot be found, read or chatted with.
    """
    file = _file(name)
    place: dict[str, Any] = {"pretrained_model_name_or_path": name}
    packed: dict[str, Any] = {}
    if file is not None:
        place = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name, "local_files_only": True}
        packed = {"quantization_config": GgufConfig(dequantize=True)}
    try:
        with redirect_stderr(StringIO()):  # progress bars of seconds, hundreds of lines where output is no terminal
            tokenizer = AutoTokenizer.from_pretrained(**place)
            model: Any = AutoModelForCausalLM.from_pretrained(**place, **packed, dtype=torch.float32)
        model.to(device)
    except (OSError, ValueError, RuntimeError, AssertionError, ImportError) as fault:
        raise UsageError(f"{name} cannot be opened: {' '.join(str(fault).split())[:300]}") from None
    if not tokenizer.chat_template:
        raise UsageError(f"{name} has no chat template, so it cannot answer conversations; take an instruct model")
    return model, tokenizer


def _file(name: str) -> Path | None:
    """The GGUF file that is meant, if it is one."""
    if find_weights(name) is not None:
        file = weight_path(name)
        if not file.exists():
            raise UsageError(f"the weights of {name} are not here; fetch them with evolif models fetch {name}")
        return file
    if name.endswith(".gguf"):
        file = Path(name)
        if not file.exists():
            raise UsageError(f"there is no file {name}")
        return file.resolve()
    return None
