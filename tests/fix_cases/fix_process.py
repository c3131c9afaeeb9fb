"""A FIX server as a process, and a client of a few lines to look at it with: for the tests beside this file."""
import datetime
import re
import signal
import socket
import subprocess


class Server:
    """One life of fix-echo or `dojima gateway`, on any free port."""

    def __init__(self, command, file):
        self.process = subprocess.Popen([*command, "--config", str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        seen = ""
        for line in self.process.stdout:
            seen += line
            found = re.search(r"(?:listening on|FIX) 127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                return
        raise SystemExit(f"{command[0]} does not listen:\n{seen}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """Ends it in order; what it has said since."""
        self.process.send_signal(signal.SIGTERM)
        said = self.process.stdout.read()
        self.process.wait()
        self.process.stdout.close()
        return said


def frame(fields, begin_string="FIX.4.4"):
    body = "".join(f"{tag}={value}\x01" for tag, value in fields)
    head = f"8={begin_string}\x019={len(body)}\x01{body}"
    return f"{head}10={sum(head.encode()) % 256:03d}\x01".encode()


def message(msg_type, number, fields=(), sender="CLIENT", target="VENUE", begin_string="FIX.4.4"):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d-%H:%M:%S.000")
    return frame([(35, msg_type), (34, number), (49, sender), (52, now), (56, target), *fields], begin_string)


def logon(number=1, fields=(), sender="CLIENT", begin_string="FIX.4.4"):
    version = [(1137, 9)] if begin_string == "FIXT.1.1" else []
    return message("A", number, [(98, 0), (108, 30), *fields, *version], sender, begin_string=begin_string)


def connect(port, tls=None):
    link = socket.create_connection(("127.0.0.1", port), timeout=20)
    return link if tls is None else tls.wrap_socket(link)


def ask(link, sent):
    """Sends, and gives the next bytes that come, readable; empty: the connection has ended."""
    link.sendall(sent)
    return link.recv(4096).decode().replace("\x01", "|")
