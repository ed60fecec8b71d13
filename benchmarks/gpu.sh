#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: are results those of the CPU, and how fast is it?   Needs no network.
#   benchmarks/gpu.sh [MODELS]
# Eager ops first: every row of the op table with its gradients, LeNet and a small residual net in training.  Needs `pip install .[gpu-train]`.
# MODELS: a folder that benchmarks/zoo.py filled (on any machine with real PaddlePaddle); its models then run by the engine.  Needs
# `pip install .[gpu]`.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -le 1 ] || { sed -n '2,7p' "$0"; exit 2; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
failed=0
python benchmarks/gpu_eager.py || failed=1
[ $# -eq 1 ] || exit $failed
oarlock doctor
python benchmarks/gpu.py "$1"
for model in resnet50 mobilenet_v2; do
  oarlock-runner bench "$1/$model" --device cuda --shape image=1,3,224,224 --repeat 200
done
exit $failed
