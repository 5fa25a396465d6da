"""``python -m bench.categories`` trains each library with its defaults, on one thread, on tables with categorical columns, and
writes the table of bench/README.md. It skips what bench/results already has.
"""

from __future__ import annotations

import argparse

from bench import process
from bench.categories import report
from bench.categories.frames import BUILT
from bench.categories.worker import SYSTEMS
from bench.results import FOLDER, QUICK_FOLDER, Results


def main() -> None:
    options = arguments()
    store = Results(QUICK_FOLDER if options.quick else FOLDER, "categories", "tables")
    jobs = [(table, system) for table in BUILT for system in SYSTEMS]
    if options.quick:
        jobs = [(table, system) for table, system in jobs if table == "20 categories" and system != "catboost"]
    for table, system in () if options.report else jobs:
        key = f"{table}: {system}"
        if key in store.runs and not options.again or options.only and system not in options.only:
            continue
        try:
            run = process.run("bench.categories.worker", {"table": table, "system": system}, threads=1)
        except process.Failed as e:
            print(f"{key} is skipped: {e}")
            continue
        print(f"{key}: log loss {run['logloss']}, {run['errors']} errors, {run['seconds']} s")
        store.add(key, run)
    report.write(store)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.categories", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="measure one generated table only; results go to build/bench/quick")
    parser.add_argument("--again", action="store_true", help="measure again what the results already have")
    parser.add_argument("--only", nargs="+", choices=list(SYSTEMS), help="measure only these libraries")
    parser.add_argument("--report", action="store_true", help="only write the table")
    return parser.parse_args()


main()
