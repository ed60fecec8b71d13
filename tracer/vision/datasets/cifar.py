"""CIFAR-10 and CIFAR-100 (Krizhevsky 2009), in their archives of pickles. The pickles are read as
data; no code in them is run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ...core.errors import FileError
from ...core.type_aliases import PathLike
from ...loader import pickles
from ...utils.tar_archives import iter_wanted_paths_and_files, open_tar_archive
from .image_dataset import ImageDataset, to_label_array

__all__ = ["Cifar10", "Cifar100"]


class Cifar10(ImageDataset):
    """CIFAR-10: 32x32 images of ten classes (Krizhevsky 2009).

    An item is a pair (image, label). The image is a PIL image of mode "RGB", or float32 [32, 32, 3]
    from 0 to 255 for the backend "cv2", after `transform`; the label is int64 [].

    Parameters
    ----------
    data_file : str or PathLike, optional
        The archive ``cifar-10-python.tar.gz``; by default it is downloaded once.
    mode : "train" or "test", default "train"
        50000 or 10000 images.
    transform : callable, optional
        Function of the image.
    download : bool, default True
        Whether a missing archive may be downloaded.
    backend : "pil" or "cv2", optional
        Type of the images; by default that of `set_image_backend`.

    Raises
    ------
    OpError
        If `mode` or `backend` has another value, `data_file` is not a file, or it is missing and
        ``download=False``.
    FileError
        If the archive is damaged or its pickles contain more than data.
    OarlockError
        If a download fails.

    Notes
    -----
    The pickles in the archive are read as data; no code in them is run. With the backend "cv2",
    images get the default dtype.

    Examples
    --------
    >>> import io, pickle, tarfile
    >>> batch = pickle.dumps({"data": np.zeros([2, 3072], "uint8"), "labels": [3, 8]})
    >>> with tarfile.open("cifar.tar.gz", "w:gz") as archive:
    ...     member = tarfile.TarInfo("test_batch")
    ...     member.size = len(batch)
    ...     archive.addfile(member, io.BytesIO(batch))
    >>> data = paddle.vision.datasets.Cifar10("cifar.tar.gz", mode="test", backend="cv2")
    >>> image, label = data[1]
    >>> len(data), image.shape, label
    (2, (32, 32, 3), array(8))
    """

    _ARCHIVE = ("cifar-10-python.tar.gz", "c58f30108f718f92721af3b95e74349a")
    _FILE_PREFIXES: ClassVar[dict[str, str]] = {"train": "data_batch", "test": "test_batch"}
    _LABELS = "labels"

    def __init__(
        self,
        data_file: PathLike | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__(mode, ("train", "test"), transform, backend)
        name, md5 = self._ARCHIVE
        url = f"https://dataset.bj.bcebos.com/cifar/{name}"
        self.data_file = self._user_or_downloaded_file(
            data_file, "data_file", url, md5, "cifar", download
        )
        images, labels = [], []
        for name, batch in self._read_batches():
            pixels, classes = self._parse_batch(name, batch)
            images.append(pixels.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
            labels.append(to_label_array(classes))
        if not images:
            raise FileError(f"{self.data_file.name}: has no {self._FILE_PREFIXES[self.mode]}")
        self.images, self.labels = np.concatenate(images), np.concatenate(labels)

    def _read_batches(self) -> list[tuple[str, Any]]:
        """Return the names and contents of the pickles of this mode, sorted by name."""
        batches = {}
        with open_tar_archive(self.data_file) as archive:
            for path, file in iter_wanted_paths_and_files(
                archive, self.data_file.name, self._is_batch_file_of_mode
            ):
                name = path.rsplit("/", 1)[-1]
                batches[name] = pickles.loads(file.read(), name)
        return sorted(batches.items())

    def _is_batch_file_of_mode(self, path: str) -> bool:
        return path.rsplit("/", 1)[-1].startswith(self._FILE_PREFIXES[self.mode])

    def _parse_batch(self, name: str, batch: Any) -> tuple[Any, Any]:
        """Return the pixels uint8 [N, 3072] and N classes of a pickle; its keys are str or, from
        Python 2, bytes.
        """
        pairs = batch.items() if isinstance(batch, dict) else ()
        fields = {
            key.decode("latin1") if isinstance(key, bytes) else key: value for key, value in pairs
        }
        pixels, classes = fields.get("data", np.zeros(0)), fields.get(self._LABELS, [None])
        has_valid_pixels = (
            isinstance(pixels, np.ndarray)
            and pixels.dtype == np.uint8
            and pixels.shape[1:] == (3072,)
        )
        if (
            not has_valid_pixels
            or not isinstance(classes, list)
            or not all(type(c) is int for c in classes)
        ):
            raise FileError(
                f"{self.data_file.name}: {name} is not uint8 data [N, 3072] with a list of "
                f"{self._LABELS}"
            )
        if len(pixels) != len(classes):
            raise FileError(
                f"{self.data_file.name}: {name} has {len(pixels)} images and "
                f"{len(classes)} {self._LABELS}"
            )
        return pixels, classes

    def __getitem__(self, idx: int) -> Any:
        return self._pixels_to_transformed_image(self.images[idx]), to_label_array(self.labels[idx])

    def __len__(self) -> int:
        return len(self.labels)


class Cifar100(Cifar10):
    """CIFAR-100: 32x32 images of a hundred classes (Krizhevsky 2009).

    An item is a pair (image, label). The image is a PIL image of mode "RGB", or float32 [32, 32, 3]
    from 0 to 255 for the backend "cv2", after `transform`; the label is int64 [].

    Parameters
    ----------
    data_file : str or PathLike, optional
        The archive ``cifar-100-python.tar.gz``; by default it is downloaded once.
    mode : "train" or "test", default "train"
        50000 or 10000 images.
    transform : callable, optional
        Function of the image.
    download : bool, default True
        Whether a missing archive may be downloaded.
    backend : "pil" or "cv2", optional
        Type of the images; by default that of `set_image_backend`.

    Raises
    ------
    OpError
        If `mode` or `backend` has another value, `data_file` is not a file, or it is missing and
        ``download=False``.
    FileError
        If the archive is damaged or its pickles contain more than data.
    OarlockError
        If a download fails.

    Notes
    -----
    The pickles in the archive are read as data; no code in them is run. With the backend "cv2",
    images get the default dtype.

    Examples
    --------
    >>> import io, pickle, tarfile
    >>> batch = pickle.dumps({"data": np.zeros([2, 3072], "uint8"), "fine_labels": [3, 8]})
    >>> with tarfile.open("cifar.tar.gz", "w:gz") as archive:
    ...     member = tarfile.TarInfo("test")
    ...     member.size = len(batch)
    ...     archive.addfile(member, io.BytesIO(batch))
    >>> data = paddle.vision.datasets.Cifar100("cifar.tar.gz", mode="test", backend="cv2")
    >>> image, label = data[1]
    >>> len(data), image.shape, label
    (2, (32, 32, 3), array(8))
    """

    _ARCHIVE = ("cifar-100-python.tar.gz", "eb9058c3a382ffc7106e4002c42a8d85")
    _FILE_PREFIXES: ClassVar[dict[str, str]] = {"train": "train", "test": "test"}
    _LABELS = "fine_labels"
