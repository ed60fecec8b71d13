#!/usr/bin/env bash
# Compares the results and the speed of an NVIDIA GPU with the CPU.  Needs no network access.
#   benchmarks/gpu.sh [MODELS]
# First eager ops: every row of the op table with its gradients, and the training of LeNet and of a
# small residual network.  Needs `pip install .[gpu-train]`.
# MODELS: the output folder of benchmarks/zoo.py (run on any machine with real PaddlePaddle); the
# engine runs these models afterwards.  Needs `pip install .[gpu]`.
# If oarlock-gpu-binding and oarlock-tests are in PATH (built with OARLOCK_BENCHMARKS and
# OARLOCK_TESTS), also tests tensors in GPU memory and measures bound runs.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -le 1 ] || { sed -n '2,9p' "$0"; exit 2; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
failed=0
python benchmarks/gpu_eager.py || failed=1
[ $# -eq 1 ] || exit $failed
oarlock doctor
python benchmarks/gpu.py "$1"
for model in resnet50 mobilenet_v2; do
  oarlock-runner bench "$1/$model" --device cuda --shape image=1,3,224,224 --repeat 200
done
if command -v oarlock-tests >/dev/null; then
  oarlock-tests cuda || failed=1
fi
if command -v oarlock-gpu-binding >/dev/null; then
  for model in resnet50 mobilenet_v2; do
    oarlock-gpu-binding "$1/$model" 1 8 32
  done
fi
exit $failed
