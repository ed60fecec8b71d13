"""fluid.io.DataLoader: the DataLoader of Paddle 2, and loaders of generators."""

from __future__ import annotations

from typing import Any

from ...io import DataLoader as _DataLoader
from ...io.dataloader import default_collate_fn
from ..framework import in_dygraph_mode
from ..unsupported import raise_unsupported
from .generator_loader import GeneratorLoader

__all__ = ["DataLoader", "default_collate_fn"]


class DataLoader(_DataLoader):
    """Loader of the batches of a dataset, as `oarlock.io.DataLoader`. Without return_list, a batch
    is a dict from the names of the variables in feed_list to arrays.

    The newer name is `paddle.io.DataLoader`.
    """

    def __init__(
        self,
        dataset: Any,
        feed_list: Any = None,
        places: Any = None,
        return_list: bool = False,
        batch_sampler: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Any = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        use_shared_memory: bool = True,
        timeout: int = 0,
        worker_init_fn: Any = None,
    ) -> None:
        returns_list = return_list or in_dygraph_mode()
        super().__init__(
            dataset,
            feed_list,
            places,
            returns_list,
            batch_sampler,
            batch_size,
            shuffle,
            drop_last,
            collate_fn,
            num_workers,
            use_buffer_reader,
            use_shared_memory=use_shared_memory,
            timeout=timeout,
            worker_init_fn=worker_init_fn,
        )

    @staticmethod
    def from_generator(
        feed_list: Any = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        use_multiprocess: bool = False,
        drop_last: bool = True,
    ) -> GeneratorLoader:
        """Return a loader of batches whose source is set later by set_sample_generator,
        set_sample_list_generator or set_batch_generator.
        """
        return GeneratorLoader(
            feed_list,
            capacity,
            use_double_buffer,
            iterable,
            return_list,
            use_multiprocess,
            drop_last,
        )

    @staticmethod
    def from_dataset(dataset: Any, places: Any, drop_last: bool = True) -> Any:  # noqa: ARG004 - Paddle's
        """Not supported: raises OarlockError."""
        raise_unsupported(
            "io.DataLoader.from_dataset", "it reads files of parameter servers; use from_generator"
        )
