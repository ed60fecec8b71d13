"""Pictures, or anything else, in folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...core.errors import OpError
from ...io import Dataset
from ..image import get_image_backend, opened

__all__ = ["DatasetFolder", "ImageFolder"]

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def default_loader(path: str) -> Any:
    """A picture in RGB: of PIL, or an ndarray [H, W, 3] where set_image_backend chose 'cv2'."""
    image = opened(path).convert("RGB")
    return image if get_image_backend() == "pil" else np.asarray(image)


def _files(folder: str, wanted: Callable[[str], bool]) -> Iterator[str]:
    """The wanted files below a folder, in order of their names."""
    for root, _, names in sorted(os.walk(folder, followlinks=True)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if wanted(path):
                yield path


class _InFolders(Dataset):
    """What both share.

    Which files: those with an ending of `extensions`, those of pictures if None; else is_valid_file
    says
    """

    def __init__(
        self,
        root: Any,
        loader: Any,
        extensions: Sequence[str] | None,
        transform: Any,
        is_valid_file: Any,
    ) -> None:
        if extensions is not None and is_valid_file is not None:
            raise OpError(f"{type(self).__name__}: extensions and is_valid_file exclude each other")
        self.root = os.path.expanduser(os.fspath(root))
        if not os.path.isdir(self.root):
            raise OpError(f"{type(self).__name__}: {self.root} is not a folder")
        self.extensions = tuple(
            e.lower() for e in (IMG_EXTENSIONS if extensions is None else extensions)
        )
        self.loader = default_loader if loader is None else loader
        self.transform = transform
        self._wanted = is_valid_file or (lambda path: path.lower().endswith(self.extensions))

    def _some(self, samples: list[Any]) -> list[Any]:
        if not samples:
            raise OpError(
                f"{type(self).__name__}: no files in {self.root}; looked for "
                f"{', '.join(self.extensions)}"
            )
        return samples

    def _loaded(self, path: str) -> Any:
        sample = self.loader(path)
        return sample if self.transform is None else self.transform(sample)


class DatasetFolder(_InFolders):
    """Files root/CLASS/.../NAME.

    -> sample, number of its class

    loader: from a path to a sample; classes, class_to_idx, samples, targets: what was found.
    """

    def __init__(
        self,
        root: Any,
        loader: Any = None,
        extensions: Sequence[str] | None = None,
        transform: Any = None,
        is_valid_file: Any = None,
    ) -> None:
        super().__init__(root, loader, extensions, transform, is_valid_file)
        self.classes = sorted(entry.name for entry in Path(self.root).iterdir() if entry.is_dir())
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.samples = self._some(
            [
                (path, number)
                for name, number in self.class_to_idx.items()
                for path in _files(os.path.join(self.root, name), self._wanted)
            ]
        )
        self.targets = [number for _, number in self.samples]
        self.dtype = get_default_dtype()

    def __getitem__(self, index: int) -> Any:
        path, target = self.samples[index]
        return self._loaded(path), target

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(_InFolders):
    """Files anywhere below root, without classes.

    -> [sample]
    """

    def __init__(
        self,
        root: Any,
        loader: Any = None,
        extensions: Sequence[str] | None = None,
        transform: Any = None,
        is_valid_file: Any = None,
    ) -> None:
        super().__init__(root, loader, extensions, transform, is_valid_file)
        self.samples = self._some(list(_files(self.root, self._wanted)))

    def __getitem__(self, index: int) -> Any:
        return [self._loaded(self.samples[index])]

    def __len__(self) -> int:
        return len(self.samples)
