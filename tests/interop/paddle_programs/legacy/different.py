"""Where Oarlock differs on purpose from real Paddle 2.6.2."""

DIFFERENT = {
    "amp.wrong_arguments": "arguments of amp are checked on the CPU as well",
    "layers.embeddings": "classes out of range are rejected; real Paddle reads memory beyond the table, or takes them for zeros",
    "saving.inference_models_with_a_program_and_file_names": "the class of the error differs",
    "schedulers.resumed_schedules": "CosineAnnealingDecay with last_epoch follows the cosine; real Paddle's recursion starts at another rate",
}
VARYING = {}
