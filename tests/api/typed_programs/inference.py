"""Run a saved model with the predictor."""

import numpy as np

from oarlock.inference import Config, create_predictor

config = Config("net.pdmodel", "net.pdiparams")
config.disable_gpu()
config.set_cpu_math_library_num_threads(2)
predictor = create_predictor(config)
handle = predictor.get_input_handle(predictor.get_input_names()[0])
handle.copy_from_cpu(np.ones((1, 4), "float32"))
predictor.run()
output = predictor.get_output_handle(predictor.get_output_names()[0])
print(output.copy_to_cpu().shape)
