"""Image datasets, from local files or downloaded."""

from .cifar import *
from .flowers import *
from .folder import *
from .mnist import *
from .voc2012 import *
