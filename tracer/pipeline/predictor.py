"""A model directory as a pipeline: decode images, preprocess, run the network, postprocess."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, overload

import numpy as np

from ..core.errors import OarlockError, OpError
from ..loader.engine import Array
from ..loader.model_files import read_model
from ..loader.program_engine import create_engine_of_files
from ..loader.runtime import translate_runtime_errors
from .images import as_image_iterable, load_as_rgb_array
from .results import RESULT_CLASSES, Result
from .settings import make_image_processor, require_settings_file

_TEXT_RECOGNITION = "text_recognition"
IMAGE_ERRORS = (OarlockError, OSError)  # the errors of one image, after which others are processed


@dataclass
class _PreprocessedImage:
    """A decoded image and the inputs of the network for it."""

    path: str | None
    pixels: Array
    data: Array
    sizes: Any


class Pipeline:
    """A model directory that is ready to turn images into results. `load` creates a Pipeline; the
    docstring of `load` lists the settings and options.

    Parameters
    ----------
    directory : str or path
        See `load`.
    settings : mapping
        Settings that replace those of the file, by the names of `load`'s arguments.
    options : mapping
        Options of the engine.

    Attributes
    ----------
    task : str
        image_classification, image_multilabel_classification, object_detection, text_detection or
        text_recognition.
    labels : list of str
        Labels of the classes, or the characters of the dictionary.

    Raises
    ------
    FileError, UnsupportedError, OpError, OarlockError
        See `load`.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> from oarlock import nn, pipeline
    >>> folder = tempfile.mkdtemp()
    >>> spec = [paddle.static.InputSpec([None, 3, 8, 8], "float32", "x")]
    >>> net = nn.Sequential(nn.AdaptiveAvgPool2D(1), nn.Flatten())
    >>> paddle.jit.save(net, folder + "/inference", input_spec=spec)
    >>> settings = '''
    ... PreProcess:
    ...   transform_ops:
    ...   - ResizeImage: {size: [8, 8]}
    ...   - NormalizeImage: {mean: [0, 0, 0], std: [1, 1, 1]}
    ...   - ToCHWImage:
    ... PostProcess:
    ...   Topk: {topk: 1, label_list: [red, green, blue]}
    ... '''
    >>> _ = Path(folder, "inference.yml").write_text(settings)
    >>> classifier = pipeline.load(folder)
    >>> classifier.task, classifier.labels
    ('image_classification', ['red', 'green', 'blue'])
    >>> images = np.zeros((2, 20, 30, 3), "uint8")  # in BGR order
    >>> images[0, :, :, 2] = images[1, :, :, 0] = 255
    >>> [result["label_names"] for result in classifier.predict(list(images), batch_size=2)]
    [['red'], ['blue']]
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        settings: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        self._processor = make_image_processor(require_settings_file(directory), settings)
        self.task: str = self._processor.task
        self.labels: list[str] = self._processor.labels
        files = read_model(directory)
        self._engine = create_engine_of_files(
            files, **self._options_with_tensorrt_profiles(options)
        )
        self._input_names = [name for name, _, _ in self._engine.inputs]
        unknown = set(self._input_names) - {"image", "im_shape", "scale_factor"}
        if len(self._input_names) != 1 and unknown:
            raise OpError(
                f"pipeline: the network has the inputs {self._input_names}; expected one input, or "
                "image, im_shape and scale_factor"
            )

    @overload
    def predict(
        self, images: Any, batch_size: int = 1, return_exceptions: Literal[False] = False
    ) -> Iterator[Result]: ...

    @overload
    def predict(
        self, images: Any, batch_size: int = 1, *, return_exceptions: bool
    ) -> Iterator[Result | Exception]: ...

    def predict(
        self, images: Any, batch_size: int = 1, return_exceptions: bool = False
    ) -> Iterator[Any]:
        """Run the pipeline on each image and yield the results.

        Parameters
        ----------
        images : str, path, PIL image, ndarray, or an iterable of them
            An ndarray is uint8[height, width, 3] in BGR order, as in OpenCV and PaddleX.
        batch_size : int, default 1
            Images per run of the network, where their sizes after preprocessing are equal. Text
            recognition pads the images of a batch to the widest one.
        return_exceptions : bool, default False
            What happens if an image fails. False: the results of the images before it are yielded,
            then its error is raised. True: the error is yielded in place of the result, and the
            next images are processed, as by `asyncio.gather`.

        Returns
        -------
        iterator of Result, or of Result and Exception
            In the order of the images. An invalid type of `images` or `batch_size` is rejected
            immediately; other errors are raised while the results are iterated.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        FileError
            If a file is not an image.
        OpError
            If `batch_size` is less than 1, an image has another type, an image cannot be
            preprocessed, or the network's outputs are not those of the task.
        OarlockError
            If Pillow is not installed.
        """
        check_batch_size(batch_size)
        return iter_results_raising_exceptions(
            return_exceptions, self._predict(as_image_iterable(images), batch_size)
        )

    def _options_with_tensorrt_profiles(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Add the input shapes in the settings `Hpi.backend_configs` to the engine options for
        TensorRT, unless the options have shapes already.
        """
        provider = options.get("provider", {})
        if options.get("device") != "tensorrt" or "trt_profile_min_shapes" in provider:
            return dict(options)
        return {**options, "provider": {**provider, **self._processor.tensorrt_profiles}}

    def _predict(self, images: Iterable[Any], batch_size: int) -> Iterator[Result | Exception]:
        batch: list[_PreprocessedImage] = []
        for image in images:
            try:
                prepared = self._prepare(image)
            except IMAGE_ERRORS as error:
                yield from self._run(batch)
                batch = []
                yield error
                continue
            is_same_shape = not batch or batch[0].data.shape == prepared.data.shape
            if not (is_same_shape or self.task == _TEXT_RECOGNITION):
                yield from self._run(batch)
                batch = []
            batch.append(prepared)
            # yield before the next image is read, because it may be late or broken
            if len(batch) == batch_size:
                yield from self._run(batch)
                batch = []
        yield from self._run(batch)

    def _prepare(self, image: Any) -> _PreprocessedImage:
        path = os.fspath(image) if isinstance(image, (str, os.PathLike)) else None
        pixels = load_as_rgb_array(image)
        with translate_runtime_errors():
            data, sizes = self._processor.preprocess(pixels)
        return _PreprocessedImage(path, pixels, data, sizes)

    def _run(self, batch: list[_PreprocessedImage]) -> Iterator[Result | Exception]:
        """Run the network on a batch and yield the results. If the batch fails, run each image
        alone, and yield the exceptions of the images that fail.
        """
        results: list[Result | Exception] = []
        if not batch:
            return
        try:
            results += self._run_network_and_postprocess(batch)
        except IMAGE_ERRORS as error:
            if len(batch) == 1:
                results.append(error)
        if results:
            yield from results
            return
        for prepared in batch:
            yield from self._run([prepared])

    def _run_network_and_postprocess(self, batch: list[_PreprocessedImage]) -> list[Result]:
        feeds = {
            "im_shape": [(p.sizes.resized_height, p.sizes.resized_width) for p in batch],
            "scale_factor": [(p.sizes.scale_height, p.sizes.scale_width) for p in batch],
        }
        data = _stack_padding_last_axis([p.data for p in batch])
        outputs = self._engine.run(
            [
                np.asarray(feeds[name], np.float32) if name in feeds else data
                for name in self._input_names
            ]
        )
        with translate_runtime_errors():
            results = self._processor.postprocess(outputs, [p.sizes for p in batch])
        return [
            RESULT_CLASSES[self.task](prepared.pixels, prepared.path, result)
            for prepared, result in zip(batch, results, strict=True)
        ]


def check_batch_size(batch_size: Any) -> None:
    """Raise OpError unless `batch_size` is an int of at least 1."""
    if not isinstance(batch_size, Integral) or batch_size < 1:
        raise OpError(f"predict: batch_size={batch_size!r} should be an int of at least 1")


def iter_results_raising_exceptions(
    return_exceptions: bool, results: Iterable[Any]
) -> Iterator[Any]:
    """Yield results. An exception among the results is raised, or yielded if `return_exceptions` is
    True.
    """
    for result in results:
        if isinstance(result, Exception) and not return_exceptions:
            raise result
        yield result


def _stack_padding_last_axis(arrays: list[Array]) -> Array:
    """Stack arrays; those with a shorter last axis are padded with zeros at its end."""
    width = max(array.shape[-1] for array in arrays)
    result = np.zeros((len(arrays), *arrays[0].shape[:-1], width), np.float32)
    for i, array in enumerate(arrays):
        result[i, ..., : array.shape[-1]] = array
    return result
