#!/usr/bin/env python3
"""Our FIX sessions against those of QuickFIX/J, in both roles and all versions, over real sockets that are cut.

    tests/quickfixj/both_roles.py --build build/release [--orders 10000] [--versions 4.2 4.4 5.0SP2] [--scenarios cuts gaps]

QuickFIX/J as initiator trades with our fix-echo, and our client (dojima-quickfixj-client) with QuickFIX/J as acceptor; all
keep their stores on disk, and a relay between them cuts connections. FIX 4.4 has --orders orders in the scenario `cuts`; the other
versions and scenarios have fewer. A scenario is good when every order came back exactly once, unaltered (again only with
PossDupFlag or PossResend, which is counted), nobody refused a message or ended the session with an error, there were no more
logons than interruptions ask for, and both sides' numbers agree at the end.

Builds tests/quickfixj with Maven (offline when it can; all of it in build/peers). Exit status 1: a scenario failed; 3: java, javac
or mvn is missing. Standard library only.
"""

import argparse
import datetime
import pathlib
import re
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import maven  # noqa: E402
from relay import Relay  # noqa: E402
from sessions import VERSIONS, Echo, Trouble, free_port, our_client, quickfixj  # noqa: E402

ROLES = ("initiator", "acceptor")  # QuickFIX/J's
# Texts of a Logout that is no error.
ORDERLY = re.compile("(received|sent)( (the server ends|End of the session|Session reset))?")
SLACK = 20  # session messages that a numbering may hold beside its orders


class Trade:
    """One session between the two: `sender` connects and sends orders, `echoer` listens and sends them back."""

    def __init__(self, context, version, role, folder, ours=(), theirs=(), plan=(), seed=1):
        """`ours`, `theirs`: settings of our program and of QuickFIX/J; `plan`: as Relay's."""
        self.orders = self.interruptions = 0
        self.role, self.folder = role, folder
        port = free_port()
        self.relay = Relay(port, plan, seed)
        if role == "initiator":
            self.sender = quickfixj(context.class_path, version, role, "ECHO", self.relay.port, folder / "quickfixj", theirs)
            self.echoer = Echo(context.build, version, port, folder / "echo", ours)
        else:
            self.sender = our_client(context.build, version, self.relay.port, folder / "client", ours)
            self.echoer = quickfixj(context.class_path, version, role, "CLIENT", port, folder / "quickfixj", theirs)
        self.least_logons = 1
        self.echoer.start()
        self.sender.start()

    def up_to(self, orders):
        """Until so many orders in all have been sent and come back."""
        self.orders = orders
        self.sender.say(f"upto {orders}")
        return self.sender.answer(f"upto {orders}", self.relay.events, self.restart)

    def restart(self, what):
        """`what`: "sender" or "echoer", and a method that ends it."""
        which, how = what.split()
        process = getattr(self, which)
        getattr(process, how)()
        process.start()
        self.interruptions += 1
        if which == "sender":
            process.say(f"upto {self.orders}")

    def end(self, numbers_below=None):
        """Ends both in order, and holds what they say against each other. Raises Trouble."""
        if self.relay.plan:
            raise Trouble(f"not interrupted as planned: {self.relay.plan} is left")
        sender, echoer = self.sender.stop(), self.echoer.stop()
        self.relay.close()
        self.interruptions += self.relay.cuts
        self.logons, self.again = sender["logons"], sender["flagged"] + echoer.get("flagged", 0)
        self.resent = sender["resent"] + echoer.get("resent", 0)
        wrong = []
        for count in ("sent", "received"):
            if sender[count] != self.orders:
                wrong.append(f"{sender[count]} of {self.orders} orders {count}")
        if self.role == "acceptor" and echoer["received"] != self.orders:
            wrong.append(f"{echoer['received']} of {self.orders} orders reached QuickFIX/J")
        for name, side in (("sender", sender), ("echo", echoer)):
            wrong += [f"{name}: {count} {side[count]}" for count in ("doubled", "altered") if side.get(count)]
            wrong += [f"{name}: {text}" for key in ("rejects", "troubles") for text in side.get(key, [])]
            wrong += [f"{name}: Logout {text}" for text in side.get("logouts", []) if not ORDERLY.fullmatch(text)]
        if not self.least_logons <= self.logons <= self.least_logons + self.interruptions:
            wrong.append(f"{self.logons} logons with {self.interruptions} interruptions")
        for mine, other in (("next_out", "next_in"), ("next_in", "next_out")):
            if sender[mine] - (mine == "next_out" and self.has_answered_an_answer(sender)) != echoer[other]:
                wrong.append(f"{mine} of the sender is {sender[mine]}, {other} of the echo {echoer[other]}")
            if numbers_below and sender[mine] >= numbers_below:
                wrong.append(f"{mine} is {sender[mine]}: the numbers did not begin anew")
        if wrong:
            raise Trouble("; ".join(wrong[:6]))

    def has_answered_an_answer(self, sender):
        """QuickFIX/J sends a second Logout when the answer to its first one is there before the thread that sent it has noted that:
        a number that nobody sees before the next Logon."""
        return self.role == "initiator" and sender["logouts"][-3:] == ["sent", "received", "sent"]

    def kill(self):
        self.relay.close()
        self.sender.kill()
        self.echoer.kill()


def spread(orders, whats):
    """A plan that does these one after the other in the course of so many orders."""
    return [((at + 1) * orders // (len(whats) + 1), what) for at, what in enumerate(whats)]


def cuts(trading, orders):
    trade = trading(plan=spread(orders, ["cut"] * max(3, min(12, orders // 500))))
    trade.up_to(orders)
    trade.end()


def gaps(trading, orders):
    trade = trading(plan=spread(orders, ["hole"] * 3))
    trade.up_to(orders)
    trade.end()


def gaps_in_chunks(trading, orders):
    is_initiator = trading.role == "initiator"
    trade = trading(plan=spread(orders, ["hole"] * 3), theirs=["ResendRequestChunkSize=10"],
                    ours=["resend_chunk = 10"] if is_initiator else ["--resend-chunk", 10])
    trade.up_to(orders)
    trade.end()


def restarts(trading, orders):
    """Ours by SIGKILL; QuickFIX/J in order, and without a word."""
    ours, theirs = ("echoer", "sender") if trading.role == "initiator" else ("sender", "echoer")
    whats = [f"{ours} kill", f"{theirs} stop", f"{ours} kill", f"{theirs} halt", f"{ours} kill"]
    trade = trading(plan=spread(orders, whats))
    trade.up_to(orders)
    trade.end()


def next_expected(trading, orders):
    is_initiator = trading.role == "initiator"
    trade = trading(plan=spread(orders, ["hole", "cut", "hole", "echoer halt" if not is_initiator else "echoer kill", "cut"]),
                    theirs=["EnableNextExpectedMsgSeqNum=Y"],
                    ours=["next_expected = true"] if is_initiator else ["--next-expected"])
    trade.up_to(orders)
    trade.end()


def resets(trading, orders):
    """The initiator's Logons reset; a live session is reset as well. FIX 4.0 has no ResetSeqNumFlag: both reset without a word."""
    is_initiator, has_flag = trading.role == "initiator", trading.version.begin_string != "FIX.4.0"
    ours, theirs = [], []
    if is_initiator or not has_flag:
        theirs = ["ResetOnLogon=Y"]
    if not is_initiator or not has_flag:
        ours = ["reset_on_logon = true"] if is_initiator else ["--reset-on-logon"]
    trade = trading(ours=ours, theirs=theirs)
    trade.up_to(orders)
    trade.sender.stop()
    trade.sender.start()
    trade.up_to(2 * orders)
    trade.least_logons = 2
    if has_flag:
        trade.sender.ask("reset")
        trade.up_to(3 * orders)
        # QuickFIX/J tells its application of a Logon within a session too.
        trade.interruptions += 1
    trade.end(numbers_below=orders + SLACK)


def fresh(trading, orders):
    """An initiator whose store is new meets an acceptor that resets at every Logon, and none of them says ResetSeqNumFlag."""
    is_initiator = trading.role == "initiator"
    trade = trading(ours=["reset_on_logon = true"] if is_initiator else [], theirs=[] if is_initiator else ["ResetOnLogon=Y"])
    for life in range(3):
        if life:
            trade.sender.stop()
            shutil.rmtree(trade.sender.folder / "store")
            trade.sender.start()
        trade.up_to((life + 1) * orders)
    trade.least_logons = 3
    trade.end(numbers_below=orders + SLACK)


def schedule(trading, orders):
    """A session day ends some seconds from now, and the next one begins two seconds later."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    end, start = now + datetime.timedelta(seconds=9), now + datetime.timedelta(seconds=12)
    if trading.role == "initiator":
        ours = [f'schedule = {{ start = "{start:%H:%M:%S}", end = "{end:%H:%M:%S}" }}']
    else:
        of_day = [at.hour * 3600 + at.minute * 60 + at.second for at in (start, end)]
        ours = ["--day-start", of_day[0], "--day-end", of_day[1]]
    trade = trading(ours=ours, theirs=[f"StartTime={start:%H:%M:%S}", f"EndTime={end:%H:%M:%S}"])
    trade.up_to(orders)
    if datetime.datetime.now(datetime.timezone.utc) >= end:
        raise Trouble("the machine was too slow for the end of the day")
    time.sleep((start - datetime.datetime.now(datetime.timezone.utc)).total_seconds() + 0.5)
    trade.up_to(2 * orders)
    trade.least_logons = 2
    trade.end(numbers_below=orders + SLACK)


# {name: (what it does, orders of FIX 4.4 as a part of --orders, orders of the other versions, the versions that have it)}
SCENARIOS = {
    "cuts": (cuts, 1.0, 1000, lambda version: True),
    "gaps": (gaps, 0.2, 600, lambda version: True),
    "gaps, in chunks": (gaps_in_chunks, 0.2, 600, lambda version: version.name in ("4.1", "4.4", "5.0SP2")),
    "restarts": (restarts, 0.5, 1500, lambda version: True),
    "789": (next_expected, 0.2, 1200, lambda version: version.has_next_expected),
    "resets": (resets, 0.05, 100, lambda version: True),
    "fresh": (fresh, 0.05, 100, lambda version: True),
    "schedule": (schedule, 0.05, 100, lambda version: True),
}


class Trading:
    """Makes the one trade of a scenario."""

    def __init__(self, context, version, role, folder):
        self.context, self.version, self.role, self.folder = context, version, role, folder
        self.trade = None

    def __call__(self, **settings):
        self.trade = Trade(self.context, self.version, self.role, self.folder, **settings)
        return self.trade


def run(context, version, role, name):
    """The row of the table."""
    scenario, part, fewer, _ = SCENARIOS[name]
    orders = max(100, int(part * context.orders)) if version.name == "4.4" else fewer
    folder = pathlib.Path(tempfile.mkdtemp(prefix="quickfixj-"))
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
    row = [version.name, role, name, trade.orders, trade.interruptions, *(getattr(trade, name, "-") for name in ("logons", "resent", "again")),
           verdict]
    print(f"{' '.join(map(str, row))}, {time.monotonic() - begin:.1f} s", file=sys.stderr)
    return row


def show(rows):
    header = ["version", "QuickFIX/J is", "scenario", "orders", "interruptions", "logons", "by resend", "twice, flagged", "verdict"]
    table = [header, ["---"] * 3 + ["---:"] * 5 + ["---"], *rows]
    for row in table:
        print("|" + "|".join(f" {cell} " for cell in row) + "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--orders", default=10_000, type=int, help="of FIX 4.4 in the scenario `cuts`")
    names = [version.name for version in VERSIONS]
    parser.add_argument("--versions", nargs="+", choices=names, default=names, metavar="VERSION", help=", ".join(names))
    parser.add_argument("--scenarios", nargs="+", choices=SCENARIOS, default=list(SCENARIOS), metavar="SCENARIO",
                        help=", ".join(SCENARIOS))
    parser.add_argument("--roles", nargs="+", choices=ROLES, default=ROLES, metavar="ROLE", help="of QuickFIX/J")
    context = parser.parse_args()
    if context.orders < 100:
        parser.error("--orders: at least 100")
    for program in ("fix-echo", "dojima-quickfixj-client"):
        if not (context.build / "bin" / program).exists():
            raise SystemExit(f"{program} is not there: ninja -C {context.build} fix-echo dojima-quickfixj-client")
    context.class_path = maven.class_path(ROOT / "tests" / "quickfixj" / "pom.xml", "quickfixj/quickfixj-session.jar")
    rows = [run(context, version, role, name) for version in VERSIONS if version.name in context.versions
            for role in context.roles for name in context.scenarios if SCENARIOS[name][3](version)]
    show(rows)
    failed = sum(row[-1] != "ok" for row in rows)
    jar = next((maven.PEERS / "quickfixj" / "lib").glob("quickfixj-core-*.jar")).stem
    print(f"quickfixj: {len(rows) - failed} of {len(rows)} scenarios are good, with {jar}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
