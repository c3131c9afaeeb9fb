#!/usr/bin/env python3
"""Our FIX sessions against those of another engine, in both roles and all versions, over real sockets that are cut.

    tests/quickfixj/both_roles.py --build build/release [--peer quickfixj] [--orders 10000] [--versions 4.2 4.4 5.0SP2]
        [--scenarios cuts gaps]

The other engine (quickfixj: QuickFIX/J; quickfix: QuickFIX of the system; quickfix-1.16: QuickFIX of PyPI's source package) as
initiator trades with our fix-echo, and our client (dojima-quickfixj-client) with it as acceptor; all keep their stores on disk, and a
relay between them cuts connections. A scenario has --orders orders or a part of that. It is good when every order came back exactly
once, in order and unaltered (again only with PossDupFlag or PossResend, which is counted), nobody refused a message or ended the
session with an error, there were no more logons than interruptions ask for, and both sides' numbers agree at the end.

QuickFIX/J is built with Maven (offline when it can), QuickFIX 1.16 with g++ after pip has fetched it; all of it in build/peers. Exit
status 1: a scenario failed; 3: java, javac or mvn is missing. Standard library only.
"""

import argparse
import concurrent.futures
import pathlib
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import artefact  # noqa: E402
from peers import PEERS  # noqa: E402
from scenarios import LEAST_ORDERS, SCENARIOS, Trading  # noqa: E402
from sessions import VERSIONS, Trouble  # noqa: E402

ROLES = ("initiator", "acceptor")  # the other engine's


def run(context, version, role, name):
    """The row of the table."""
    scenario, part, _ = SCENARIOS[name]
    orders = max(LEAST_ORDERS, int(part * context.orders))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="both-roles-"))
    trading = Trading(context, version, role, folder)
    begin = time.monotonic()
    try:
        scenario(trading, orders)
        verdict = "ok"
    except Trouble as trouble:
        verdict = f"FAILED: {trouble} (see {folder})"
    finally:
        if trading.trade:
            trading.trade.kill()
    trade = trading.trade
    if verdict == "ok":
        shutil.rmtree(folder)
    row = [version.name, role, name, *(getattr(trade, count, 0) for count in ("orders", "interruptions", "logons", "resent", "again")),
           verdict]
    print(f"{' '.join(map(str, row))}, {time.monotonic() - begin:.1f} s", file=sys.stderr)
    return row


COLUMNS = {"version": "", "peer_is": "initiator: our fix-echo listens; acceptor: our client connects",
           "scenario": "", "orders": "sent, in all numberings", "interruptions": "cut connections, and programs ended and started again",
           "logons": "of the side that sends", "by_resend": "messages that came with PossDupFlag, as far as a side keeps an account",
           "twice": "orders that came again, with PossDupFlag or PossResend", "verdict": ""}
SUMS = ("orders", "interruptions", "logons", "by_resend", "twice")


def summary(peer, rows):
    """One row a role and scenario, over all versions."""
    columns = {name: meaning for name, meaning in COLUMNS.items() if name not in ("version", "verdict")}
    columns = {"peer_is": "", "scenario": "", "versions": "", **columns, "good": "versions in which the scenario is"}
    sums = {}
    for row in rows:
        cells = dict(zip(COLUMNS, row, strict=True))
        total = sums.setdefault((cells["peer_is"], cells["scenario"]), dict.fromkeys(("versions", *SUMS, "good"), 0))
        total["versions"] += 1
        total["good"] += cells["verdict"] == "ok"
        for name in SUMS:
            total[name] += cells[name]
    lines = [[*key, *(total[name] for name in list(columns)[2:])] for key, total in sums.items()]
    return artefact.table("both_roles", f"Sessions against {peer}, versions together", columns, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--peer", choices=PEERS, default="quickfixj", help="the other engine")
    parser.add_argument("--orders", default=10_000, type=int, help="of the scenario `cuts`")
    names = [version.name for version in VERSIONS]
    parser.add_argument("--versions", nargs="+", choices=names, default=names, metavar="VERSION", help=", ".join(names))
    parser.add_argument("--scenarios", nargs="+", choices=SCENARIOS, default=list(SCENARIOS), metavar="SCENARIO",
                        help=", ".join(SCENARIOS))
    parser.add_argument("--roles", nargs="+", choices=ROLES, default=ROLES, metavar="ROLE", help="of the other engine")
    parser.add_argument("--jobs", default=2, type=int, help="scenarios at once: they mostly wait")
    parser.add_argument("--json", type=pathlib.Path, help="write the result as an artefact")
    context = parser.parse_args()
    if context.orders < LEAST_ORDERS or context.jobs < 1:
        parser.error(f"--orders: at least {LEAST_ORDERS}; --jobs: at least 1")
    for program in ("fix-echo", "dojima-quickfixj-client"):
        if not (context.build / "bin" / program).exists():
            raise SystemExit(f"{program} is not there: ninja -C {context.build} fix-echo dojima-quickfixj-client")
    peer = context.peer
    context.peer = PEERS[peer](context.build)
    trades = [(version, role, name) for version in VERSIONS if version.name in context.versions
              for role in context.roles for name in context.scenarios
              if SCENARIOS[name][2](version) and (role, name) not in context.peer.cannot]
    for (role, name), why in context.peer.cannot.items():
        print(f"not run, {peer} as {role}, {name}: {why}")
    with concurrent.futures.ThreadPoolExecutor(context.jobs) as pool:
        try:
            rows = list(pool.map(lambda trade: run(context, *trade), trades))
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    name = context.peer.name
    tables = [artefact.table("scenarios", f"Sessions against {name}", COLUMNS, rows), summary(name, rows)]
    for table in tables:
        print(artefact.to_text({**table, "notes": []}))
    failed = sum(row[-1] != "ok" for row in rows)
    if context.json:
        checks = [(" ".join(row[:3]), row[-1] == "ok", row[-1]) for row in rows]
        parameters = {"peer": peer} | {name: getattr(context, name) for name in ("orders", "versions", "scenarios", "roles", "jobs")}
        context.json.write_text(artefact.artefact(ROOT, "tests/quickfixj/both_roles.py", parameters, tables, checks,
                                                  f"{context.peer.version}, Python {sys.version.split()[0]}"))
    print(f"{peer}: {len(rows) - failed} of {len(rows)} scenarios are good, with {context.peer.version}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
