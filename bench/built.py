"""The programs of a build that the scripts here run."""
import os
import sys


def need(folder, *names):
    """Their paths; ends with advice when one is not there."""
    paths = [os.path.join(folder, name) for name in names]
    for path in paths:
        if not os.access(path, os.X_OK):
            sys.exit(f"{path} is not there: build the release preset first (cmake --preset release && "
                     "cmake --build --preset release)")
    return paths
