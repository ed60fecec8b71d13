"""Print the path of the ONNX Runtime library that the installed `onnxruntime` package holds."""

import glob
import importlib.util
import os

spec = importlib.util.find_spec("onnxruntime")
if spec and spec.origin:
    print(*glob.glob(os.path.join(os.path.dirname(spec.origin), "capi", "libonnxruntime.so.*"))[:1])
