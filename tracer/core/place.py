"""Where a tensor lives."""

from __future__ import annotations

from .errors import OarlockError


class Place:
    """A device.   kind: 'cpu' or 'gpu'; index: which one."""

    kind = "cpu"

    def __init__(self, index: int = 0) -> None:
        self.index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and (self.kind, self.index) == (other.kind, other.index)

    def __hash__(self) -> int:
        return hash((self.kind, self.index))

    def is_cpu_place(self) -> bool:
        """Whether it is the processor."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """Whether it is a CUDA device."""
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        """False: no memory is pinned here."""
        return False

    def get_device_id(self) -> int:
        """Which one of its kind."""
        return self.index

    gpu_device_id = get_device_id

    def __repr__(self) -> str:
        return f"Place({self.kind if self.kind == 'cpu' else f'{self.kind}:{self.index}'})"


class CPUPlace(Place):
    """The processor."""

    def __init__(self) -> None:
        super().__init__(0)


class CUDAPlace(Place):
    """One CUDA device."""

    kind = "gpu"


class CUDAPinnedPlace(CPUPlace):
    """The processor: no memory is pinned here."""


def set_device(device: str) -> Place:
    """Choose where eager ops run: 'cpu'.   Raises OarlockError for another device: models run there, training does not."""
    if device.split(":", maxsplit=1)[0] == "cpu":
        return CPUPlace()
    raise OarlockError(
        f"set_device: eager ops run on the CPU only, not on {device!r}; "
        f"a saved model runs there with oarlock.jit.load(path, device='cuda') or oarlock-runner --device cuda"
    )


def get_device() -> str:
    """The device that eager ops run on."""
    return "cpu"
