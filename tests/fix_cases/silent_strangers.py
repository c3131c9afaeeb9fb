#!/usr/bin/env python3
"""Connections that say nothing, more than there is room for, do not keep a client out of fix-echo, and each that makes room is reported.

  silent_strangers.py --echo build/release/bin/fix-echo

Plain and over TLS. Exit status 1: something came otherwise.
"""
import argparse
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile

from fix_process import Server, ask, logon

CONFIG = """port = 0
{tls}
[[session]]
begin_string = "FIX.4.4"
sender_comp_id = "VENUE"
target_comp_id = "CLIENT"
"""
STRANGERS = 120


def ask_behind_strangers(server, trust, is_paused):
    """The strangers, and the answer to a Logon behind them. Once all connect at once, so that the client is one of many that are
    accepted in turns that follow each other."""
    if is_paused:
        server.process.send_signal(signal.SIGSTOP)
    strangers = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(STRANGERS)]
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        if is_paused:
            server.process.send_signal(signal.SIGCONT)
        with (trust.wrap_socket(plain) if trust else plain) as link:
            return strangers, ask(link, logon())


def play(echo, folder, tls, trust, reason, is_paused):
    file = folder / "echo.toml"
    file.write_text(CONFIG.format(tls=tls))
    server = Server([echo], file)
    wrong, answer = [], ""
    try:
        strangers, answer = ask_behind_strangers(server, trust, is_paused)
    except OSError as trouble:
        server.kill()
        return [f"no Logon behind {STRANGERS} strangers: {trouble}"]
    if "|35=A|" not in answer:
        wrong.append(f"the Logon behind {STRANGERS} strangers is answered with {answer!r}")
    for stranger in strangers:
        stranger.close()
    lines = server.stop().splitlines()
    refusals = [line for line in lines if re.fullmatch(rf"127\.0\.0\.1: refused: {reason}", line)]
    if len(refusals) < STRANGERS // 2:
        wrong.append(f"{len(refusals)} lines say '{reason}', of {lines[:5]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--echo", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dojima-strangers-") as name:
        folder = pathlib.Path(name)
        wrong = []
        for is_paused in (False, True):
            wrong += play(arguments.echo, folder, "", None, "too many connections without a session", is_paused)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=venue", "-keyout", f"{folder}/venue.key", "-out", f"{folder}/venue.pem"],
                       check=True, capture_output=True)
        trust = ssl.create_default_context(cafile=f"{folder}/venue.pem")
        trust.check_hostname = False
        tls = f'tls = {{ certificate = "{folder}/venue.pem", key = "{folder}/venue.key" }}'
        for is_paused in (False, True):
            wrong += [f"TLS: {what}" for what in
                      play(arguments.echo, folder, tls, trust, "TLS: too many connections whose handshake is not done", is_paused)]
    for what in wrong:
        print(what, file=sys.stderr)
    print("wrong" if wrong else "good")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
