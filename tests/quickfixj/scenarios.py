"""The scenarios of tests/quickfixj/both_roles.py: what two sides that trade with each other go through, and what must hold at the
end. Standard library only."""

import datetime
import re
import shutil
import time

from relay import Relay
from sessions import PATIENCE, PORTS, Echo, Trouble, our_client

# What QuickFIX/J answers to a Logon while it ends in order, and what our client says of that.
ENDING = "Logon attempt when session is disabled"
REFUSED = "refused: field 58, expected a Logon in answer to ours"
# Texts of a Logout that is no error.
ORDERLY = re.compile(f"(received|sent)( (the server ends|End of the session|Session reset|{ENDING}))?")
SLACK = 20  # session messages that a numbering may hold beside its orders


class Trade:
    """One session between the two: `sender` connects and sends orders, `echoer` listens and sends them back."""

    def __init__(self, context, version, role, folder, ours=(), theirs=(), plan=(), most_open=100):
        """`ours`, `theirs`: settings of our program and of the other engine; `plan`: as Relay's; `most_open`: orders on the way."""
        self.orders = self.interruptions = 0
        self.role, self.folder = role, folder
        port = PORTS.take()
        self.relay = Relay(port, plan)
        if role == "initiator":
            self.sender = context.peer.session(version, role, "ECHO", self.relay.port, folder / "peer",
                                               [*theirs, f"open={most_open}"])
            self.echoer = Echo(context.build, version, port, folder / "echo", ours)
        else:
            self.sender = our_client(context.build, version, self.relay.port, folder / "client",
                                     [*ours, "--open", most_open])
            self.echoer = context.peer.session(version, role, "CLIENT", port, folder / "peer", theirs)
        self.least_logons = 1

    def start(self):
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
        """Ends both in order when one more order has come back, and holds what they say against each other. Raises Trouble.

        An interruption may come so late that all orders are back before the two have met again; then the Logons of a client that
        found nobody would be compared with numbers of before.
        """
        while not self.relay.events.empty():
            self.restart(self.relay.events.get())
        self.up_to(self.orders + 1)
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
            wrong.append(f"{echoer['received']} of {self.orders} orders reached the other engine")
        for name, side in (("sender", sender), ("echo", echoer)):
            wrong += [f"{name}: {count} {side[count]}" for count in ("doubled", "disordered", "altered") if side.get(count)]
            wrong += [f"{name}: {text}" for text in side.get("rejects", [])]
            is_refused = f"received {ENDING}" in side.get("logouts", [])
            wrong += [f"{name}: {text}" for text in side.get("troubles", []) if text != REFUSED or not is_refused]
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


def logons(trading, orders):
    trade = trading(plan=spread(orders, ["answer", "logon", "answer", "logon"]))
    trade.up_to(orders)
    trade.end()


def stalls(trading, orders):
    """So many orders at once that they do not fit on the way."""
    trade = trading(plan=spread(orders, ["stall", "stall", "cut"]), most_open=orders)
    trade.up_to(orders)
    trade.end()


def gaps(trading, orders):
    trade = trading(plan=spread(orders, ["hole"] * 3))
    trade.up_to(orders)
    trade.end()


def gaps_in_chunks(trading, orders):
    is_initiator = trading.role == "initiator"
    trade = trading(plan=spread(orders, ["hole"] * 3), theirs=trading.theirs("chunks"),
                    ours=["resend_chunk = 10"] if is_initiator else ["--resend-chunk", 10])
    trade.up_to(orders)
    trade.end()


def restarts(trading, orders):
    """Ours by SIGKILL; the other engine in order, and without a word."""
    ours, theirs = ("echoer", "sender") if trading.role == "initiator" else ("sender", "echoer")
    whats = [f"{ours} kill", f"{theirs} stop", f"{ours} kill", f"{theirs} halt", f"{ours} kill"]
    trade = trading(plan=spread(orders, whats))
    trade.up_to(orders)
    trade.end()


def next_expected(trading, orders):
    with_next_expected(trading, orders, ["hole", "cut", "hole", "echoer kill" if trading.role == "initiator" else "echoer halt", "cut"])


def next_expected_one_way(trading, orders):
    """Only the side that sends orders misses what the other has sent."""
    with_next_expected(trading, orders, ["deaf"] * 3)


def with_next_expected(trading, orders, whats):
    trade = trading(plan=spread(orders, whats), theirs=trading.theirs("next expected", "last processed"),
                    ours=["next_expected = true", "last_processed = true"] if trading.role == "initiator" else
                    ["--next-expected", "--last-processed"])
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
    if trade.sender.ask("numbers")["next_out"] >= orders + SLACK:
        raise Trouble("the numbers did not begin anew with the second Logon")
    if has_flag:
        trade.sender.ask("reset")
        trade.up_to(3 * orders)
        # The other engines call their application for a Logon within a session too.
        trade.interruptions += 1
    trade.end(numbers_below=orders + SLACK)


def resets_on_logout(trading, orders):
    """Both begin anew after each Logout."""
    trade = trading(ours=["reset_on_logout = true"] if trading.role == "initiator" else ["--reset-on-logout"],
                    theirs=["ResetOnLogout=Y"])
    for life in range(3):
        if life:
            trade.sender.stop()
            trade.sender.start()
        trade.up_to((life + 1) * orders)
    trade.least_logons = 3
    trade.end(numbers_below=3)


def resets_on_disconnect(trading, orders):
    """Both begin anew after the end of any connection. What is on the way then is lost, as both have agreed: so nothing is."""
    trade = trading(ours=["reset_on_disconnect = true"] if trading.role == "initiator" else ["--reset-on-disconnect"],
                    theirs=["ResetOnDisconnect=Y"])
    for life in range(3):
        if life:
            trade.relay.cut_last()
            end = time.monotonic() + PATIENCE
            while trade.sender.ask("numbers")["next_out"] > 2:
                if time.monotonic() > end:
                    raise Trouble("no reset after the end of a connection")
                time.sleep(0.02)
        trade.up_to((life + 1) * orders)
    trade.least_logons = 3
    trade.end(numbers_below=3)


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
    """A session day ends some seconds from now, and the next one begins three seconds later."""
    for seconds in (trading.context.peer.day, 30, 60):
        if trades_over_the_end_of_a_day(trading, orders, seconds):
            return
        trading.trade.kill()
        trading.folder /= "later"
    raise Trouble("the machine was too slow for the end of the day")


def trades_over_the_end_of_a_day(trading, orders, seconds):
    """False: the day had ended before its orders were through."""
    begin = now()
    end = begin + datetime.timedelta(seconds=seconds)
    start = end + datetime.timedelta(seconds=3)
    if trading.role == "initiator":
        ours = [f'schedule = {{ start = "{start:%H:%M:%S}", end = "{end:%H:%M:%S}" }}']
    else:
        of_day = [at.hour * 3600 + at.minute * 60 + at.second for at in (start, end)]
        ours = ["--day-start", of_day[0], "--day-end", of_day[1]]
    trade = trading(ours=ours, theirs=[f"StartTime={start:%H:%M:%S}", f"EndTime={end:%H:%M:%S}"])
    if now() + datetime.timedelta(seconds=seconds / 4) >= end:
        return False
    trade.up_to(orders)
    if now() >= end:
        return False
    time.sleep((start - now()).total_seconds() + 1.5)
    trade.up_to(2 * orders)
    trade.least_logons = 2
    trade.end(numbers_below=orders + SLACK)
    return True


def now():
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


# {name: (what it does, its orders as a part of --orders, the versions that have it)}. Of those with a smaller part each life of a
# numbering has so many.
SCENARIOS = {
    "cuts": (cuts, 1.0, lambda version: True),
    "logons": (logons, 0.2, lambda version: True),
    "stalls": (stalls, 1.0, lambda version: True),
    "gaps": (gaps, 1.0, lambda version: True),
    "gaps, in chunks": (gaps_in_chunks, 1.0, lambda version: True),
    "restarts": (restarts, 1.0, lambda version: True),
    "789 and 369": (next_expected, 1.0, lambda version: version.has_next_expected),
    "789, one way": (next_expected_one_way, 1.0, lambda version: version.has_next_expected),
    "resets": (resets, 0.1, lambda version: True),
    "resets on logout": (resets_on_logout, 0.1, lambda version: True),
    "resets on disconnect": (resets_on_disconnect, 0.1, lambda version: True),
    "fresh": (fresh, 0.1, lambda version: True),
    "schedule": (schedule, 0.1, lambda version: True),
}
LEAST_ORDERS = 100  # of a scenario


class Trading:
    """Makes and starts the one trade of a scenario; knows it also when it could not be started."""

    def __init__(self, context, version, role, folder):
        self.context, self.version, self.role, self.folder = context, version, role, folder
        self.trade = None

    def theirs(self, *features):
        """The settings for them, of an engine that has them."""
        return [setting for feature in features for setting in self.context.peer.settings.get(feature, [])]

    def __call__(self, **settings):
        self.trade = Trade(self.context, self.version, self.role, self.folder, **settings)
        self.trade.start()
        return self.trade
