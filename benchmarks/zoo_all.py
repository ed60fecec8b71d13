"""All models of the zoo; the command line is that of benchmarks/zoo.py, whose models are those that
benchmarks/inference.py measures.
"""

import zoo  # noqa: F401 - each module registers its models
import zoo_detection  # noqa: F401
import zoo_encoders  # noqa: F401
import zoo_ocr  # noqa: F401
import zoo_sizes  # noqa: F401
from zoo_parts import main

if __name__ == "__main__":
    main()
