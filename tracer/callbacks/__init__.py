"""Callbacks of Model.fit."""

from ..hapi.callbacks import *
from ..hapi.progress import ProgBarLogger
from ..hapi.tensorboard_events import TensorBoard, VisualDL
