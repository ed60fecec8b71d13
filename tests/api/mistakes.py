"""Typical mistakes of users, and a part of the error that each must raise.

`python -m tests.api.mistakes` prints the errors.
"""

from __future__ import annotations

import contextlib
import linecache
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

import oarlock
from oarlock import nn
from oarlock.core.keyword_hints import add_hint


class Mistake(NamedTuple):
    """Code with a mistake, and words of its error."""

    code: str
    words: str


MISTAKES = {
    "dim_of_sum": Mistake(
        "paddle.ones([2, 3]).sum(dim=0)",
        "Paddle calls this argument 'axis'",
    ),
    "dim_of_concat": Mistake(
        "paddle.concat([paddle.ones([2]), paddle.ones([2])], dim=0)",
        "Paddle calls this argument 'axis'",
    ),
    "dim_of_softmax": Mistake(
        "F.softmax(paddle.ones([2, 3]), dim=-1)",
        "Paddle calls this argument 'axis'",
    ),
    "keepdims": Mistake(
        "paddle.ones([2, 3]).mean(0, keepdims=True)",
        "Paddle calls this argument 'keepdim'",
    ),
    "permute": Mistake(
        "paddle.ones([2, 3]).permute(1, 0)",
        "use transpose(perm)",
    ),
    "view_with_numbers": Mistake(
        "paddle.ones([6]).view(2, 3)",
        "view: pass sizes and axes as one list: view([2, 3])",
    ),
    "reshape_with_numbers": Mistake(
        "paddle.ones([6]).reshape(6, 1)",
        "reshape: pass sizes and axes as one list: reshape([6, 1])",
    ),
    "transpose_with_numbers": Mistake(
        "paddle.ones([2, 3]).transpose(1, 0)",
        "transpose: pass sizes and axes as one list: transpose([1, 0])",
    ),
    "zeros_with_numbers": Mistake(
        "paddle.zeros(2, 3)",
        "zeros: pass sizes and axes as one list: zeros([2, 3])",
    ),
    "zero_grad": Mistake(
        "paddle.optimizer.SGD(0.1, parameters=[paddle.ones([1])]).zero_grad()",
        "use clear_grad()",
    ),
    "load_state_dict": Mistake(
        "nn.Linear(2, 2).load_state_dict({})",
        "use set_state_dict(state)",
    ),
    "Module": Mistake(
        "nn.Module",
        "use nn.Layer",
    ),
    "Conv2d": Mistake(
        "nn.Conv2d(3, 8, 3)",
        "use Conv2D",
    ),
    "bias_of_linear": Mistake(
        "nn.Linear(4, 2, bias=False)",
        "bias_attr=False switches the bias off",
    ),
    "lr_of_adam": Mistake(
        "paddle.optimizer.Adam(nn.Linear(2, 2).parameters(), lr=0.1)",
        "it is the first argument, the parameters are passed as parameters=layer.parameters()",
    ),
    "parameters_first": Mistake(
        "paddle.optimizer.Adam(nn.Linear(2, 2).parameters())",
        "Adam: learning_rate is list, neither a number nor an LRScheduler; write Adam(learning_rate=0.001, "
        "parameters=layer.parameters())",
    ),
    "optim": Mistake(
        "paddle.optim",
        "use paddle.optimizer",
    ),
    "cat": Mistake(
        "paddle.cat([paddle.ones([2])])",
        "use paddle.concat",
    ),
    "from_numpy": Mistake(
        "paddle.from_numpy(np.ones(2))",
        "use paddle.to_tensor",
    ),
    "tensor_function": Mistake(
        "paddle.tensor([1.0, 2.0])",
        "use paddle.to_tensor(data)",
    ),
    "manual_seed": Mistake(
        "paddle.manual_seed(0)",
        "use paddle.seed",
    ),
    "sparse": Mistake(
        "paddle.sparse.sparse_coo_tensor",
        "use dense tensors, or paddl",
    ),
    "audio": Mistake(
        "paddle.audio.features",
        "mel features are the product of a filter bank and a spectrogram",
    ),
    "inplace_of_relu": Mistake(
        "nn.ReLU(inplace=True)",
        "leave it out; functions whose names end in an underscore",
    ),
    "to_cuda": Mistake(
        "paddle.ones([2]).to('cuda')",
        "to: Place(gpu:0) needs CuPy",
    ),
    "set_device_cuda": Mistake(
        "paddle.set_device('cuda')",
        "'gpu:0' needs",
    ),
    "dtype_name": Mistake(
        "paddle.ones([2]).astype('float31')",
        "complex128; did you mean 'float32'?",
    ),
    "long": Mistake(
        "paddle.ones([2]).long()",
        'use astype("int64")',
    ),
    "matmul_shapes": Mistake(
        "paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))",
        "matmul: the inner axes differ, 3 and 2",
    ),
    "broadcast": Mistake(
        "paddle.ones([2, 3]) + paddle.ones([2, 4])",
        "add: the shapes do not broadcast: axis -1 has 3 and 4 elements",
    ),
    "linear_features": Mistake(
        "nn.Linear(4, 2)(paddle.ones([3, 5]))",
        "linear: the last axis of X has 5 elements, the weight Y needs 4 (in_features)",
    ),
    "conv_channels": Mistake(
        "nn.Conv2D(3, 8, 3)(paddle.ones([1, 8, 8, 3]))",
        "conv2d: Input has 8 channels (axis 1), Filter needs 3; if the images are NHWC, pass",
    ),
    "conv_without_batch": Mistake(
        "nn.Conv2D(3, 8, 3)(paddle.ones([3, 8, 8]))",
        "conv2d: the input needs 4 axes [N, C, H, W], and has 3; add the batch axis with unsqueeze(0)",
    ),
    "batch_norm_rank": Mistake(
        "nn.BatchNorm2D(3)(paddle.ones([2, 3, 4]))",
        "BatchNorm2D: the input needs 4 axes [N, C, H, W], and has 3",
    ),
    "batch_norm_channels": Mistake(
        "nn.BatchNorm2D(3)(paddle.ones([2, 4, 5, 5]))",
        "BatchNorm2D: the input has 4 channels (axis 1, data_format='NCHW'), num_features is 3",
    ),
    "concat_sizes": Mistake(
        "paddle.concat([paddle.ones([2, 3]), paddle.ones([3, 4])])",
        "only axis 0 may differ",
    ),
    "stack_shapes": Mistake(
        "paddle.stack([paddle.ones([2]), paddle.ones([3])])",
        "stack: the shapes differ: tensor 0 has [2], tensor 1 has [3]",
    ),
    "reshape_sizes": Mistake(
        "paddle.ones([2, 3]).reshape([4, 2])",
        "reshape: shape=[4, 2] has 8 elements, X has 6",
    ),
    "index_out_of_range": Mistake(
        "paddle.ones([2, 3])[5]",
        "index: 5 is out of range for axis 0",
    ),
    "gather_out_of_range": Mistake(
        "paddle.gather(paddle.ones([2, 3]), paddle.to_tensor([4]))",
        "gather: an index is 4, outside of [0, 2)",
    ),
    "embedding_out_of_range": Mistake(
        "nn.Embedding(10, 4)(paddle.to_tensor([12]))",
        "embedding: an index is 12, outside of [0, 10)",
    ),
    "embedding_of_floats": Mistake(
        "nn.Embedding(10, 4)(paddle.ones([2]))",
        "embedding: an index has the dtype float32; convert it with astype('int64')",
    ),
    "label_out_of_range": Mistake(
        "F.cross_entropy(paddle.ones([2, 3]), paddle.to_tensor([0, 3]))",
        "cross_entropy: a label is 3, outside of the classes [0, 3) and not ignore_index=-100",
    ),
    "label_shape": Mistake(
        "F.cross_entropy(paddle.ones([2, 3]), paddle.to_tensor([0, 1, 2]))",
        "cross_entropy: label must have the shape [2], one class index per row of the logits, not [3]",
    ),
    "array_for_tensor": Mistake(
        "F.relu(np.ones([2], 'float32'))",
        "relu: x must be a Tensor, not numpy.ndarray; convert it with paddle.to_tensor",
    ),
    "list_for_tensor": Mistake(
        "paddle.exp([1.0, 2.0])",
        "exp: x must be a Tensor, not list; convert it with paddle.to_tensor",
    ),
    "ragged_list": Mistake(
        "paddle.to_tensor([[1, 2], [3]])",
        "to_tensor: the nested lists have different lengths; pad them to one length",
    ),
    "truth_of_many": Mistake(
        "bool(paddle.ones([2]))",
        "bool(): only a tensor of one element becomes a Python number; reduce it with any() or all()",
    ),
    "item_of_many": Mistake(
        "paddle.ones([2]).item()",
        "without an index; use tolist(), numpy() or item(index)",
    ),
    "float_of_many": Mistake(
        "float(paddle.ones([2]))",
        "float(): only a tensor of one element becomes a Python number; take one with x[0]",
    ),
    "backward_twice": Mistake(
        "x = paddle.to_tensor([1.0], stop_gradient=False); y = (x * x).sum(); y.backward(); y.backward()",
        "pass retain_graph=True to that earlier call",
    ),
    "in_place_leaf": Mistake(
        "x = paddle.to_tensor([1.0], stop_gradient=False); x.add_(paddle.ones([1]))",
        "add_: a tensor that requires a gradient cannot be changed in place; create a new tensor, or",
    ),
    "without_super_init": Mistake(
        "class Net(nn.Layer):\n    def __init__(self):\n        self.linear = nn.Linear(2, 2)\nNet()",
        "Net.linear: call super().__init__() before assigning parameters or layers",
    ),
    "without_forward": Mistake(
        "class Net(nn.Layer):\n    pass\nNet()(paddle.ones([1]))",
        "Net has no method forward; define forward(self, x)",
    ),
    "optimizer_without_parameters": Mistake(
        "paddle.optimizer.SGD(0.1)",
        "SGD: parameters are required, e.g. parameters=layer.parameters()",
    ),
    "layer_as_parameters": Mistake(
        "paddle.optimizer.SGD(0.1, parameters=nn.Linear(2, 2))",
        "SGD: parameters must be a list, such as layer.parameters(), not one Linear",
    ),
    "save_without_spec": Mistake(
        "paddle.jit.save(nn.Linear(2, 2), 'net')",
        "for every argument of forward, such as [paddle.static.InputSpec([None, 4], 'float32')], not NoneType",
    ),
    "load_missing": Mistake(
        "paddle.jit.load('missing')",
        "missing: there is neither missing.pdmodel nor missing.json nor a folder of that name",
    ),
    "load_missing_params": Mistake(
        "paddle.load('missing.pdparams')",
        "load: no file, model or folder 'missing.pdparams'",
    ),
    "load_pt": Mistake(
        "import zipfile\nz = zipfile.ZipFile('model.pt', 'w'); z.writestr('model/data.pkl', b'x'); z.close()\npaddle.load('model.pt')",
        "in PyTorch, save the state dict with safetensors.torch.save_file",
    ),
    "load_onnx": Mistake(
        "Path('model.onnx').write_bytes(b'\\x08\\x08\\x12\\x04test')\npaddle.load('model.onnx')",
        "Oarlock writes ONNX but reads only Paddle's f",
    ),
    "jit_load_onnx": Mistake(
        "Path('model.onnx').write_bytes(b'\\x08\\x08\\x12\\x04test')\npaddle.jit.load('model.onnx')",
        "Oarlock writes ONNX but reads only Paddle's f",
    ),
    "load_safetensors": Mistake(
        "Path('model.safetensors').write_bytes(b'\\x08\\0\\0\\0\\0\\0\\0\\0{}      ')\npaddle.load('model.safetensors')",
        "read it with safetensors.numpy.load_file and pass the resu",
    ),
    "load_json": Mistake(
        "Path('model.json').write_text('{}')\npaddle.load('model.json')",
        "model.json is a JSON file; if it is a program of Paddle 3, load it with paddle.jit.load",
    ),
    "load_json_program": Mistake(
        "Path('model.json').write_text('{}')\npaddle.jit.load('model')",
        "model.json: this is not a program that Paddle 3 saved, there is no field 'base_code'",
    ),
    "save_swapped": Mistake(
        "paddle.save('net.pdparams', nn.Linear(2, 2).state_dict())",
        "not OrderedDict; the order of the arguments is save(obj, path)",
    ),
    "fit_without_prepare": Mistake(
        "paddle.Model(nn.Linear(2, 2)).fit(paddle.io.TensorDataset([paddle.ones([4, 2])]), verbose=0)",
        "Model.fit: an optimizer is missing; call prepare(optimizer, loss) first",
    ),
    "fit_with_arrays": Mistake(
        "m = paddle.Model(nn.Linear(2, 2)); m.prepare(paddle.optimizer.SGD(0.1, parameters=m.parameters()), nn.MSELoss()); m.fit(np.ones([4, 2], 'float32'), np.ones([4, 2], 'float32'), verbose=0)",
        "for arrays, pass paddle.io.TensorDatas",
    ),
    "fit_without_loss": Mistake(
        "m = paddle.Model(nn.Linear(2, 2)); m.prepare(paddle.optimizer.SGD(0.1, parameters=m.parameters())); m.fit(paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 2])]), verbose=0)",
        "Model.fit: a loss is missing; call prepare(optimizer, loss) first",
    ),
    "ragged_batch": Mistake(
        "class D(paddle.io.Dataset):\n    def __getitem__(self, i):\n        return np.ones(i + 1)\n    def __len__(self):\n        return 4\nlist(paddle.io.DataLoader(D(), batch_size=2))",
        "DataLoader: samples of a batch have different shapes, sample 0 has [1], sample 1 has [2]; return",
    ),
    "missing_feed": Mistake(
        "paddle.enable_static()\ntry:\n    p = paddle.static.Program()\n    with paddle.static.program_guard(p):\n        y = paddle.static.data('x', [None, 2]) * 2\n    paddle.static.Executor().run(p, feed={}, fetch_list=[y])\nfinally:\n    paddle.disable_static()",
        "Executor.run: 'x' is not fed, pass feed={'x': array} (float32[?,2])",
    ),
    "data_in_dynamic_mode": Mistake(
        "paddle.static.data('x', [None, 2])",
        "data: declares a variable of a program; call paddle.enable_static() first",
    ),
    "attention_heads": Mistake(
        "nn.MultiHeadAttention(10, 3)",
        "MultiHeadAttention: num_heads=3 does not divide embed_dim=10",
    ),
    "heads_of_groups": Mistake(
        "nn.Conv2D(3, 8, 3, groups=2)",
        "Conv2D: groups=2 does not divide in_channels=3",
    ),
    "reduction_name": Mistake(
        "F.mse_loss(paddle.ones([2]), paddle.ones([2]), reduction='average')",
        "mse_loss: reduction='average' is not one of 'mean', 'sum', 'none'",
    ),
    "dropout_probability": Mistake(
        "F.dropout(paddle.ones([2]), p=2)",
        "dropout: p=2 is not between 0 and 1",
    ),
    "axis_out_of_range": Mistake(
        "paddle.ones([2, 3]).sum(axis=2)",
        "sum: axis=2 is outside of [-2, 1]",
    ),
    "split_uneven": Mistake(
        "paddle.split(paddle.ones([5]), 2)",
        "split: an axis of 5 does not split into 2 equal pieces; pass a list of their sizes",
    ),
    "misspelled_method": Mistake(
        "paddle.ones([2]).summ()",
        "has no attribute 'summ'",
    ),
    "misspelled_function": Mistake(
        "paddle.zeros_lik(paddle.ones([2]))",
        "has no attribute 'zeros_lik'",
    ),
    "misspelled_keyword": Mistake(
        "paddle.sum(paddle.ones([2, 2]), axes=1)",
        "did you mean 'axis'?",
    ),
    "misspelled_layer": Mistake(
        "nn.Conv2DD(1, 1, 1)",
        "has no attribute 'Conv2DD'",
    ),
    "to_tensor_of_text": Mistake(
        "paddle.to_tensor('abc')",
        "to_tensor: 'abc' contains text, a tensor contains numbers only",
    ),
    "eval_of_model": Mistake(
        "paddle.Model(nn.Linear(2, 2)).eval()",
        "use network.eval(), or evaluate(data)",
    ),
}


def error_of(name: str) -> str:
    """Run a mistake and return the text of its error, as users see it."""
    code, file = MISTAKES[name].code, f"<{name}>"
    linecache.cache[file] = (len(code), None, [f"{line}\n" for line in code.split("\n")], file)
    names = {"paddle": oarlock, "nn": nn, "F": nn.functional, "np": np, "Path": Path}
    try:
        exec(compile(code, file, "exec"), names)
    except Exception as error:  # any kind: the text is what counts
        add_hint(error)
        return "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", [])])
    return "no error"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, mistake in MISTAKES.items():
            print(f"{name}: {mistake.code}\n    {error_of(name)}\n")
