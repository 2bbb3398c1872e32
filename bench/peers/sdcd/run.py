"""SDCD with the settings of its package, told the targets."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sdcd.models import SDCD

from common import run
from masked import train_and_read


def find(problem):
    return train_and_read(SDCD(), problem)


run(find)
