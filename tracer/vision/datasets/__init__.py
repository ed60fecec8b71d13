"""Pictures to learn from, in files that are there or come from the network."""

from .cifar import *
from .flowers import *
from .folder import *
from .mnist import *
from .voc2012 import *
