"""The path of quantization in Paddle 2.0 to 2.4: `fluid.contrib.slim.quantization`."""
