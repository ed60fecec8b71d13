"""Callbacks of Model.fit."""

from ..hapi.callbacks import *
from ..hapi.progress import ProgBarLogger as ProgBarLogger
from ..hapi.tensorboard_events import TensorBoard as TensorBoard
from ..hapi.tensorboard_events import VisualDL as VisualDL
