"""ICP once for every variable as the response; the variables of its answer are taken as parents."""
import itertools
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import causalicp
import numpy
from common import rows_of_matrix, run

MOST_SETS = 5000  # over all responses


def largest_size(variables):
    """The largest size of predictor sets such that all sets up to it are at most MOST_SETS, but at least 1."""
    size, count = 0, variables
    while size < variables - 1:
        count += variables * math.comb(variables - 1, size + 1)
        if size >= 1 and count > MOST_SETS:
            break
        size += 1
    return size


def find(problem):
    count = len(problem.names)
    data = [problem.control, problem.changed]
    matrix = numpy.zeros((count, count))
    for response in range(count):
        others = [v for v in range(count) if v != response]
        sets = [set(chosen) for size in range(largest_size(count) + 1)
                for chosen in itertools.combinations(others, size)]
        parents = causalicp.fit(data, response, alpha=0.05, sets=sets).estimate
        for parent in parents or ():  # None: every set is rejected
            matrix[parent, response] = 1
    return rows_of_matrix(matrix)


run(find)
