"""bourse's side of python_peers.py: the instructions of python_ours.py for a book, as arrays: python bourse_side.py SEED STEPS ROWS

Runs once for each line of standard input, after one run that is not counted, and prints a JSON object a line.
"""

import json
import sys
import time

import bourse
import numpy as np
from python_ours import instructions


def main():
    rows = int(sys.argv[3])
    steps = [((sides == 1), quantities.astype(np.uint32), np.zeros(rows, dtype=np.uint32), prices.astype(np.uint32))
             for sides, prices, quantities in instructions(sys.argv[1], sys.argv[2], rows)]

    def once():
        env, ids, count = bourse.core.StepEnvNumpy(1, 0, 1, 1_000_000), None, 0
        for step in steps:
            if ids is not None:
                env.submit_cancellations(ids[::2].copy())
                count += len(ids[::2])
                env.step()
            ids = np.asarray(env.submit_limit_orders(step), dtype=np.uint64)
            env.step()
            count += rows
        return count

    once()
    print(json.dumps({"ready": True}), flush=True)
    for _ in sys.stdin:
        begin = time.process_time()
        count = once()
        print(json.dumps({"seconds": time.process_time() - begin, "rows": count}), flush=True)


if __name__ == "__main__":
    main()
