"""A TCP relay that cuts connections, between two FIX sessions of a test. Standard library only.

It counts the orders that pass from the side that connects to the side that listens, and does what is planned when a number of
them is reached:

    cut     a part of what just came goes on, which may end within a message, then both connections end, by FIN and by RST in turn
    hole    from here on nothing comes back, after half of `hole_orders` nothing goes on either, and after all of them, or a second,
            both connections end: both sides have sent what the other has never seen
    deaf    nothing comes back for a second, then both connections end: the side that connects misses what the other has sent, and
            may not send more than it had open
    logon   a cut, and the next connection is cut within the first that comes: the Logon
    answer  a cut, and the next connection is cut within the first that comes back: the answer to the Logon
    stall   nothing is read from either side for two seconds
    ITEM    anything else is put into the queue `events`, once, and nothing is read for a tenth of a second, so that there is
            something on the way when it happens
"""

import math
import queue
import random
import socket
import struct
import threading
import time

ORDER = b"\x0135=D\x01"


class Link:
    """One connection and the one that was made for it."""

    def __init__(self, ends):
        self.ends = ends
        self.lock = threading.Lock()
        self.is_open, self.is_hole = True, False
        self.hole_until = self.hole_time = math.inf
        self.stall_time = 0
        self.early = None

    def close(self, with_reset=False):
        """Wakes both pumps; each closes the socket it reads, for the kernel keeps one open as long as somebody reads it."""
        with self.lock:
            if not self.is_open:
                return
            self.is_open = False
        for end in self.ends:
            try:
                if with_reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RD if with_reset else socket.SHUT_RDWR)
            except OSError:
                pass


class Relay:
    def __init__(self, target, plan, seed=1, hole_orders=40):
        """`plan`: [(orders, what)], ascending."""
        self.target, self.plan, self.hole_orders = target, list(plan), hole_orders
        self.random = random.Random(seed)
        self.orders = self.cuts = 0
        self.early = self.link = None
        self.events = queue.Queue()
        self.listener = socket.socket()
        # Small ones, so that a side meets a stall soon; what connections inherit.
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 13)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen()
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.socket()
            far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 13)
            try:
                far.connect(("127.0.0.1", self.target))
            except OSError:
                near.close()
                far.close()
                continue
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link = Link((near, far))
            link.early, self.early = self.early, None
            self.link = link
            threading.Thread(target=self.pump, args=(link, near, far, True), daemon=True).start()
            threading.Thread(target=self.pump, args=(link, far, near, False), daemon=True).start()

    def pump(self, link, source, sink, is_forth):
        try:
            while data := source.recv(1 << 12):
                if link.early == ("logon" if is_forth else "answer"):
                    sink.sendall(data[:self.random.randrange(len(data))])
                    self.cut(link)
                    break
                if is_forth:
                    data = self.forth(link, data)
                time.sleep(max(0, link.stall_time - time.monotonic()))
                is_lost = link.is_hole and (not is_forth or self.orders >= link.hole_until - self.hole_orders // 2)
                if data and not is_lost:
                    sink.sendall(data)
                if link.is_hole and (self.orders >= link.hole_until or time.monotonic() >= link.hole_time):
                    self.cut(link)
                if not link.is_open:
                    break
        except OSError:
            pass
        link.close()
        source.close()

    def forth(self, link, data):
        """What of it goes on, after what was planned for its orders."""
        self.orders += data.count(ORDER)
        while self.plan and self.orders >= self.plan[0][0] and not link.is_hole:
            what = self.plan.pop(0)[1]
            if what in ("cut", "logon", "answer"):
                if what != "cut":
                    self.early = what
                data = data[:self.random.randrange(len(data) + 1)]
                try:
                    link.ends[1].sendall(data)
                except OSError:
                    pass
                self.cut(link)
                return b""
            if what in ("hole", "deaf"):
                link.is_hole = True
                if what == "hole":
                    link.hole_until, link.hole_time = self.orders + self.hole_orders, time.monotonic() + 1
                threading.Timer(1.1, self.cut, [link, what == "deaf"]).start()
            elif what == "stall":
                link.stall_time = time.monotonic() + 2
            else:
                link.stall_time = time.monotonic() + 0.1
                self.events.put(what)
        return data

    def cut_last(self):
        """The connection that was made last."""
        self.cut(self.link)

    def cut(self, link, by_fin=False):
        if link.is_open:
            self.cuts += 1
            link.close(with_reset=not by_fin and self.cuts % 2 == 0)
