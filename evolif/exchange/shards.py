"""A folder that `datasets.load_dataset` reads as it is: Parquet files of limited size, and a card that names them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evolif.exchange.columns import arrow
from evolif.exchange.rows import Row

DATA = "data"
_GROUP_ROWS, _GROUP_BYTES = 500, 8 << 20
"""A row group is written at so many rows, or so much text, whichever is first."""
SHARD_BYTES = 256 << 20
"""A file is closed at this size."""


@dataclass(slots=True)
class Shards:
    """Writes rows to numbered files; no more than a row group is in memory.

    Args:
        folder: An existing folder.
        schema: Of the rows.
        split: The name of the split.
    """

    folder: Path
    schema: Any
    split: str
    rows: int = 0
    arrow_bytes: int = 0
    """Size of the rows in memory, as the card tells it."""
    files: list[Path] = field(default_factory=list)
    _waiting: list[Row] = field(default_factory=list)
    _waiting_bytes: int = 0
    _writer: Any = None

    def add(self, row: Row, size: int) -> None:
        """Write a row, now or soon.

        Args:
            row: As the schema has it.
            size: About how many characters it has.
        """
        self._waiting.append(row)
        self._waiting_bytes += size
        if len(self._waiting) >= _GROUP_ROWS or self._waiting_bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        pa = arrow()
        from pyarrow import parquet

        batch = pa.RecordBatch.from_pylist(self._waiting, schema=self.schema)
        if self._writer is None:
            self.files.append(self.folder / f"{len(self.files):05}.part")
            self._writer = parquet.ParquetWriter(self.files[-1], self.schema, compression="zstd")
        self._writer.write_batch(batch)
        self.rows += batch.num_rows
        self.arrow_bytes += batch.nbytes
        self._waiting, self._waiting_bytes = [], 0
        if self.files[-1].stat().st_size >= SHARD_BYTES:
            self.close()

    def close(self) -> None:
        """Close the file that is open."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def finish(self) -> None:
        """Write what is waiting, and give the files their names; there is at least one."""
        if self._waiting or not self.files:
            self._flush()
        self.close()
        number = len(self.files)
        self.files = [
            part.rename(part.with_name(f"{self.split}-{place:05}-of-{number:05}.parquet"))
            for place, part in enumerate(self.files)
        ]


@contextmanager
def writing_shards(folder: Path, schema: Any, split: str) -> Iterator[Shards]:
    """Files in the folder `data` of a folder; named once the block is through.

    Raises:
        UsageError: pyarrow is not installed.
    """
    data = folder / DATA
    data.mkdir()
    shards = Shards(data, schema, split)
    try:
        yield shards
        shards.finish()
    finally:
        shards.close()


def front_matter(shards: Shards) -> dict[str, Any]:
    """What a card tells `load_dataset`: where the files are, and their columns."""
    size = sum(file.stat().st_size for file in shards.files)
    split = {"name": shards.split, "num_bytes": shards.arrow_bytes, "num_examples": shards.rows}
    return {
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": shards.split, "path": f"{DATA}/{shards.split}-*.parquet"}],
            }
        ],
        "dataset_info": {
            "features": [_feature(column.name, column.type) for column in shards.schema],
            "splits": [split],
            "download_size": size,
            "dataset_size": shards.arrow_bytes,
        },
    }


def _feature(name: str, kind: Any) -> dict[str, Any]:
    """A column as the front matter of cards has it: a type, or a struct, or a list of structs."""
    pa = arrow()
    if pa.types.is_list(kind):
        return {"name": name, "list": [_feature(one.name, one.type) for one in kind.value_type]}
    if pa.types.is_struct(kind):
        return {"name": name, "struct": [_feature(one.name, one.type) for one in kind]}
    names = {pa.string(): "string", pa.int64(): "int64", pa.float64(): "float64", pa.bool_(): "bool"}
    return {"name": name, "dtype": names[kind]}
