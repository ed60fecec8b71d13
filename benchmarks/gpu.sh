#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: are results those of the CPU, and how fast is it?
#   benchmarks/gpu.sh MODELS
# MODELS: a folder that benchmarks/zoo.py filled (on any machine with real PaddlePaddle).  Needs `pip install .[gpu]`.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { sed -n '2,4p' "$0"; exit 2; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
oarlock doctor
python benchmarks/gpu.py "$1"
for model in resnet50 mobilenet_v2; do
  oarlock-runner bench "$1/$model" --device cuda --shape image=1,3,224,224 --repeat 200
done
