"""Print what a development environment installs: the dependencies of the project and of its extra
`dev`.
"""

import pathlib
import tomllib

project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
print(
    " ".join(project["dependencies"] + project["optional-dependencies"]["dev"]).replace(" ", "\n")
)
