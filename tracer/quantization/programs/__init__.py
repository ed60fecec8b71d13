"""Post-training quantization and reduced precision of saved programs."""
