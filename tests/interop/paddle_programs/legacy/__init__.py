"""Programs of saved states, programs of paddle.static, layers, optimizers, AMP and data loaders."""

from . import amp, data, layers, optimizers, saving, schedulers, static
