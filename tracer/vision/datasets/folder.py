"""Datasets of files in folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...core.errors import OpError, append_user_line
from ...core.type_aliases import PathLike
from ...io import Dataset
from ..image import get_image_backend, open_image_with_pillow

__all__ = ["DatasetFolder", "ImageFolder"]

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def default_loader(path: str) -> Any:
    """Load an image in RGB: as PIL image, or as ndarray [H, W, 3] if set_image_backend chose
    'cv2'.
    """
    image = open_image_with_pillow(path).convert("RGB")
    return image if get_image_backend() == "pil" else np.asarray(image)


def _iter_valid_files(folder: str, is_valid: Callable[[str], bool]) -> Iterator[str]:
    """Iterate over the files below a folder that `is_valid` accepts, sorted by name."""
    for root, _, names in sorted(os.walk(folder, followlinks=True)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if is_valid(path):
                yield path


class _FolderDataset(Dataset):
    """Base class of DatasetFolder and ImageFolder.

    A file is selected by its extension (default: those of images), or by is_valid_file.
    """

    def __init__(
        self,
        root: PathLike,
        loader: Callable[[str], Any] | None,
        extensions: Sequence[str] | None,
        transform: Callable[[Any], Any] | None,
        is_valid_file: Callable[[str], bool] | None,
    ) -> None:
        if extensions is not None and is_valid_file is not None:
            raise OpError(
                append_user_line(
                    f"{type(self).__name__}: extensions and is_valid_file exclude each other"
                )
            )
        self.root = os.path.expanduser(os.fspath(root))
        if not os.path.isdir(self.root):
            raise OpError(append_user_line(f"{type(self).__name__}: {self.root} is not a folder"))
        self.extensions = tuple(
            e.lower() for e in (IMG_EXTENSIONS if extensions is None else extensions)
        )
        self.loader = default_loader if loader is None else loader
        self.transform = transform
        self._uses_extensions = is_valid_file is None
        self._is_valid = is_valid_file or (lambda path: path.lower().endswith(self.extensions))

    def _require_not_empty(self, samples: list[Any]) -> list[Any]:
        """Return `samples`; raise OpError if there are none."""
        if not samples:
            selection = (
                f"with the extensions {', '.join(self.extensions)}"
                if self._uses_extensions
                else "that is_valid_file accepts"
            )
            raise OpError(
                append_user_line(f"{type(self).__name__}: no files in {self.root} {selection}")
            )
        return samples

    def _load_and_transform_sample(self, path: str) -> Any:
        sample = self.loader(path)
        return sample if self.transform is None else self.transform(sample)


class DatasetFolder(_FolderDataset):
    """Dataset of files in folders: the folders directly below `root` are the classes.

    An item is a pair (sample, class index) of a file ROOT/CLASS/.../NAME.

    Parameters
    ----------
    root : str or PathLike
        The folder with one folder per class.
    loader : callable, optional
        Function from a path to a sample. By default files are loaded as RGB images: PIL images, or
        ndarrays [H, W, 3] if `set_image_backend` chose another backend than "pil".
    extensions : sequence of str, optional
        Extensions of the files that are samples, in lower or upper case. Default: ".jpg", ".jpeg",
        ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp".
    transform : callable, optional
        Function of the sample.
    is_valid_file : callable, optional
        Function from a path to whether the file is a sample, instead of `extensions`.

    Attributes
    ----------
    classes : list of str
        Names of the classes, sorted.
    class_to_idx : dict of str to int
        Index of each class.
    samples : list of (str, int)
        Paths and class indices, sorted by class and path.
    targets : list of int
        Class index of each sample.

    Raises
    ------
    OpError
        If `root` is not a folder or has no samples, or both `extensions` and `is_valid_file` are
        given.
    FileError
        When an item is read, if its image is damaged.

    Examples
    --------
    >>> import pathlib
    >>> for name in ("cats/a.npy", "cats/b.npy", "dogs/c.npy"):
    ...     pathlib.Path("root", name).parent.mkdir(parents=True, exist_ok=True)
    ...     np.save(f"root/{name}", np.zeros([2, 2]))
    >>> data = paddle.vision.datasets.DatasetFolder("root", np.load, [".npy"])
    >>> data.classes, data.targets
    (['cats', 'dogs'], [0, 0, 1])
    >>> sample, label = data[2]
    >>> sample.shape, label
    ((2, 2), 1)
    """

    def __init__(
        self,
        root: PathLike,
        loader: Callable[[str], Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:
        super().__init__(root, loader, extensions, transform, is_valid_file)
        self.classes = sorted(entry.name for entry in Path(self.root).iterdir() if entry.is_dir())
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
        self.samples = self._require_not_empty(
            [
                (path, class_index)
                for name, class_index in self.class_to_idx.items()
                for path in _iter_valid_files(os.path.join(self.root, name), self._is_valid)
            ]
        )
        self.targets = [class_index for _, class_index in self.samples]
        self.dtype = get_default_dtype()

    def __getitem__(self, index: int) -> Any:
        path, target = self.samples[index]
        return self._load_and_transform_sample(path), target

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(_FolderDataset):
    """Dataset of the files at any depth below a folder, without classes.

    An item is a list [sample].

    Parameters
    ----------
    root : str or PathLike
        The folder.
    loader : callable, optional
        Function from a path to a sample. By default files are loaded as RGB images: PIL images, or
        ndarrays [H, W, 3] if `set_image_backend` chose another backend than "pil".
    extensions : sequence of str, optional
        Extensions of the files that are samples, in lower or upper case. Default: ".jpg", ".jpeg",
        ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp".
    transform : callable, optional
        Function of the sample.
    is_valid_file : callable, optional
        Function from a path to whether the file is a sample, instead of `extensions`.

    Attributes
    ----------
    samples : list of str
        Paths, sorted by folder and name.

    Raises
    ------
    OpError
        If `root` is not a folder or has no samples, or both `extensions` and `is_valid_file` are
        given.
    FileError
        When an item is read, if its image is damaged.

    Examples
    --------
    >>> import os
    >>> os.makedirs("images", exist_ok=True)
    >>> np.save("images/a.npy", np.zeros([2, 2]))
    >>> np.save("images/b.npy", np.ones([2, 2]))
    >>> data = paddle.vision.datasets.ImageFolder("images", np.load, [".npy"])
    >>> len(data), data[1][0].tolist()
    (2, [[1.0, 1.0], [1.0, 1.0]])
    """

    def __init__(
        self,
        root: PathLike,
        loader: Callable[[str], Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ) -> None:
        super().__init__(root, loader, extensions, transform, is_valid_file)
        self.samples = self._require_not_empty(list(_iter_valid_files(self.root, self._is_valid)))

    def __getitem__(self, index: int) -> Any:
        return [self._load_and_transform_sample(self.samples[index])]

    def __len__(self) -> int:
        return len(self.samples)
