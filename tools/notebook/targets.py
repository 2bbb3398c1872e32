"""What changed, and how far it moved: docs/notebook/targets.md."""
from .results import Table, mean, number, rows, table

ORDERS = [("`targets.csv`, by size given the causes", "place"), ("by evidence", "place_evidence"),
          ("by the plain shift in standard deviations of the control", "place_shift")]


@table("petshop")
def _():
    """The share of cases with the root cause on top, and among the first three, in three orders; ties count half."""
    cases = rows("accuracy/petshop.csv")
    body = [[name, len(cases), number(mean(float(c[column]) <= 1 for c in cases), 2),
             number(mean(float(c[column]) <= 3 for c in cases), 2)] for name, column in ORDERS]
    called = number(mean(int(c["called"]) / int(c["variables"]) for c in cases), 2)
    return Table(["order", "cases", "root cause on top", "among the first three"], body,
                 f"Shares of the cases. The mean share of variables called changed is {called}.",
                 "bench/targets/petshop.py FOLDER", "0", ["accuracy/petshop.csv"])
