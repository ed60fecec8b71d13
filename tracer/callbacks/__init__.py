"""Callbacks of Model.fit."""

from ..hapi.callbacks import *
from ..hapi.event_log import TensorBoard, VisualDL
from ..hapi.progress import ProgBarLogger
