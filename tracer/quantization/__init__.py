"""Quantization of layers and saved models."""
