"""DCD-FG of the package sdcd with its settings, told the targets."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import pytorch_lightning  # noqa: F401, so that its import is not part of the time
from sdcd.models import DCDFG

from common import run
from masked import train_and_read


def find(problem):
    return train_and_read(DCDFG(), problem)


run(find)
