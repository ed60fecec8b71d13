"""Image models, with Paddle's structured names, so that its published weights can be loaded."""

from .alexnet import AlexNet as AlexNet
from .alexnet import alexnet as alexnet
from .densenet import *
from .googlenet import GoogLeNet as GoogLeNet
from .googlenet import googlenet as googlenet
from .inceptionv3 import *
from .lenet import *
from .mobilenetv1 import *
from .mobilenetv2 import *
from .mobilenetv3 import *
from .resnet import *
from .shufflenetv2 import *
from .squeezenet import *
from .vgg import *
