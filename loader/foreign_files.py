"""Recognize files of other frameworks, for the errors of readers."""

from __future__ import annotations

import os

_PYTORCH = (
    "is a file of PyTorch; in PyTorch, save the state dict with safetensors.torch.save_file; read "
    "that file with safetensors.numpy.load_file, transpose the weights of Linear layers, and pass "
    "the result to set_state_dict"
)
_BY_EXTENSION = {
    ".npz": "is a NumPy archive; read it with numpy.load",
    ".onnx": "is an ONNX model; run it with onnxruntime; Oarlock writes ONNX but reads only "
    "Paddle's formats",
    ".pdmodel": "is a program; load it with paddle.jit.load and the path without .pdmodel",
    ".pdiparams": "is a file of parameters; load the model with paddle.jit.load and the path "
    "without .pdiparams",
}
_BY_FIRST_BYTES = (
    (b"\x93NUMPY", "is a NumPy array; read it with numpy.load"),
    (b"\x89HDF", "is an HDF5 file; read it with h5py"),
    (
        b"{",
        "is a JSON file; if it is a program of Paddle 3, load it with paddle.jit.load and the path "
        "without .json",
    ),
)
# The bytes that describe_foreign_file needs: a ZIP archive starts with the name of a file.
NUM_FIRST_BYTES = 512
_ZIP = b"PK\x03\x04"
# The first object in a file of torch.save before PyTorch 1.6.
_PYTORCH_MAGIC_NUMBER = bytes.fromhex("6cfc9c46f9206aa85019")


def describe_foreign_file(head: bytes, name: str) -> str | None:
    """Return what a file is and what to do with it, or None for an unknown format.

    head: the first bytes of the file
    """
    extension = os.path.splitext(name)[1].lower()
    if extension in _BY_EXTENSION:
        return _BY_EXTENSION[extension]
    if _PYTORCH_MAGIC_NUMBER in head:
        return _PYTORCH
    if head.startswith(_ZIP):
        return _describe_zip(head, extension)
    if _is_safetensors(head):
        return (
            "is a safetensors file; read it with safetensors.numpy.load_file and pass the result "
            "to set_state_dict"
        )
    return next((text for start, text in _BY_FIRST_BYTES if head.startswith(start)), None)


def _describe_zip(head: bytes, extension: str) -> str:
    """Return what a ZIP archive is, by the name of its first file."""
    length = int.from_bytes(head[26:28], "little")
    name = head[30 : 30 + length]
    if name.endswith(b".npy"):
        return _BY_EXTENSION[".npz"]
    if extension in (".pt", ".pth") or name.endswith((b"/data.pkl", b"/version", b"/data/0")):
        return _PYTORCH
    return "is a ZIP archive; extract its files first"


def _is_safetensors(head: bytes) -> bool:
    """Whether a file begins with the length of a header of JSON."""
    return head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 30
