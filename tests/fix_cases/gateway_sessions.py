#!/usr/bin/env python3
"""What the configuration of `dojima gateway` says of FIX sessions, seen from a client's side: hours, hosts, templates, checks,
credentials, TLS, and the lines that report refused connections.

  gateway_sessions.py --dojima build/release/bin/dojima

Exit status 1: something came otherwise.
"""
import argparse
import datetime
import pathlib
import ssl
import subprocess
import sys
import tempfile

from fix_process import Server, ask, connect, logon, message

HEAD = """kind = "gateway"
[listen]
port = 0
[fix]
comp_id = "VENUE"
refusal = "logout"
{fix}
{sections}
[[symbol]]
symbol = "RICE"
instrument = 1
[[client]]
comp_id = "CLIENT"
venue_user = "U"
venue_password = "V"
{client}
{more}
"""
ORDER = [(11, "a"), (21, 1), (38, 100), (40, 2), (44, 12.5), (54, 1), (55, "RICE"), (60, "20260101-00:00:00")]


class Tests:
    def __init__(self, dojima, folder):
        self.dojima, self.folder = dojima, folder
        self.wrong = []
        self.count = 0

    def serve(self, fix="", sections="", client="", more=""):
        file = self.folder / "gateway.toml"
        file.write_text(HEAD.format(fix=fix, sections=sections, client=client, more=more))
        return Server([self.dojima, "gateway"], file)

    def expect(self, text, part, what):
        self.count += 1
        if (part in text) if part else not text:
            return
        self.wrong.append(f"{what}: expected {part or 'nothing'!r}, got {text!r}")

    def refused(self, part, what, **places):
        """The gateway does not start, and says why."""
        file = self.folder / "gateway.toml"
        file.write_text(HEAD.format(**{"fix": "", "sections": "", "client": "", "more": ""} | places))
        ended = subprocess.run([self.dojima, "gateway", "--config", str(file)], capture_output=True, text=True, timeout=60)
        self.expect(ended.stderr + ended.stdout, part, what)
        if ended.returncode == 0:
            self.wrong.append(f"{what}: started")

    def trade(self, server, *words):
        ended = subprocess.run([self.dojima, "trade", "--connect", f"127.0.0.1:{server.port}", "--sender", "CLIENT", "--target",
                                "VENUE", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        return ended.stdout + ended.stderr

    # ---------------------------------------------------------------------------------------------------------- tests
    def hours(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        closed = [(now + datetime.timedelta(hours=hours)).strftime("%H:%M") for hours in (2, 4)]
        server = self.serve(fix=f'schedule_start = "{closed[0]}"\nschedule_end = "{closed[1]}"')
        with connect(server.port) as link:
            self.expect(ask(link, logon()), "58=Outside of session hours|", "a Logon outside of the hours")
        self.expect(server.stop(), "FIX.4.4 CLIENT VENUE Logon refused: Outside of session hours", "the line of a refused Logon")
        opened = [(now + datetime.timedelta(hours=hours)).strftime("%H:%M") for hours in (-2, 2)]
        server = self.serve(fix=f'schedule_start = "{opened[0]}"\nschedule_end = "{opened[1]}"')
        with connect(server.port) as link:
            self.expect(ask(link, logon()), "|35=A|", "a Logon within the hours")
        server.stop()
        self.refused('"25:00" is not a time of day such as 08:30', "a clock that no day has",
                     fix='schedule_start = "25:00"\nschedule_end = "08:00"')
        self.refused('the system knows no time zone "Europe/Londn"', "a zone that is not there",
                     fix='schedule_start = "07:00"\nschedule_end = "08:00"\ntime_zone = "Europe/Londn"')
        self.refused('"Monnday" is not a day such as Monday', "a day that no week has",
                     fix='schedule_start = "07:00"\nschedule_end = "08:00"\nschedule_days = "Monnday"')

    def admission(self):
        server = self.serve(client='allowed_hosts = "10.1.0.0/16"')
        with connect(server.port) as link:
            self.expect(ask(link, logon()), "", "a host that is not allowed")
        self.expect(server.stop(), "FIX.4.4 CLIENT VENUE host not allowed", "the line of a refused host")
        server = self.serve(client='allowed_hosts = "10.1.0.0/16 127.0.0.1"\nusername = "me"\npassword = "right"')
        for fields, answer in (((), "|35=5|"), (((553, "me"), (554, "wrong")), "|35=5|"), (((553, "me"), (554, "right")), "|35=A|")):
            with connect(server.port) as link:
                number = 1
                self.expect(ask(link, logon(number, fields)), answer, f"credentials {fields}")
        with connect(server.port) as link:
            self.expect(ask(link, logon(sender="NOBODY")), "", "a client that nobody knows")
        with connect(server.port) as link:
            self.expect(ask(link, logon(begin_string="FIX.4.2")), "", "a client in another version")
        with connect(server.port) as link:
            self.expect(ask(link, logon(1, ((553, "me"), (554, "right"), (27030, "7")))), "|35=5|", "a wrong 27030")
        log = server.stop()
        self.expect(log, "FIX.4.4 NOBODY VENUE unknown session", "the line of an unknown client")
        self.expect(log, "FIX.4.2 CLIENT VENUE unknown session: this SenderCompID(49) is known with BeginString(8)=FIX.4.4",
                    "the line of a client in another version")
        self.expect(log, "CLIENT VENUE Logon refused: field 554: expected the session's Username(553) and Password(554)",
                    "the line of wrong credentials")
        self.expect(log, "CLIENT VENUE Logon refused: CancelOnDisconnect(27030)=7 is not supported: 0 never", "the line of a wrong 27030")
        self.refused('"10.1.0.0/99" is no host', "a network that cannot be", client='allowed_hosts = "10.1.0.0/99"')

    def templates(self):
        more = '[[template]]\nname = "agreed"\nuser_tags = true\ncheck_values = false\n'
        for client, answer in (("", "|373=0|"), ('template = "agreed"', "|35=j|")):
            server = self.serve(client=client, more=more)
            with connect(server.port) as link:
                ask(link, logon())
                self.expect(ask(link, message("D", 2, [*ORDER, (6001, "x")])), answer, f"a user's tag with [{client}]")
            server.stop()
        self.refused("there is no [[template]] of this name", "a template that is not there", client='template = "agred"')
        self.refused('did you mean "user_tags"?', "a key that is not there", more='[[template]]\nname = "a"\nuser_tag = true')
        self.refused("must be more than test_request_percent", "times that cannot be", fix="give_up_percent = 110")

    def profiles(self):
        for profile, part in (("canonical", "|10="), ("compact", "|58=")):
            server = self.serve(fix=f'profile = "{profile}"\ntest_request_text = "HELLO"\nreset_on_logout = true')
            with connect(server.port) as link:
                ask(link, logon())
                link.sendall(message("D", 2, ORDER))
                link.recv(4096)
                answer = ask(link, message("D", 3, ORDER, target="OTHER"))
                if "|35=5|" not in answer:
                    answer += link.recv(4096).decode().replace("\x01", "|")
                last = answer[answer.index("|35=5|"):] if "|35=5|" in answer else ""
                self.expect(last, "|35=5|", f"{profile}: the end after a wrong name")
                if ("|58=" in last) != (profile == "compact"):
                    self.wrong.append(f"{profile}: {last!r}")
            server.stop()

    def dictionary(self):
        self.refused("nowhere.xml: cannot be read", "a dictionary that is not there", fix='dictionary = "nowhere.xml"')
        (self.folder / "broken.xml").write_text("<fix major='4' minor='4'><header>")
        self.refused("broken.xml:", "a dictionary that is none", fix=f'dictionary = "{self.folder}/broken.xml"')

    def tls(self):
        def make(name, *more):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                            "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                            f"{self.folder}/{name}.key", "-out", f"{self.folder}/{name}.pem", *more],
                           check=True, capture_output=True)
        make("venue")
        make("client")
        files = f'[tls]\ncertificate = "{self.folder}/venue.pem"\nkey = "{self.folder}/venue.key"\n'
        trust = ssl.create_default_context(cafile=f"{self.folder}/venue.pem")
        trust.check_hostname = False
        server = self.serve(sections=files)
        with connect(server.port, trust) as link:
            self.expect(link.version(), "TLSv1.3", "the version of TLS")
            self.expect(ask(link, logon()), "|35=A|", "a Logon over TLS")
        self.expect(self.trade(server, "--trusted", f"{self.folder}/venue.pem"), "logged on to VENUE as CLIENT", "dojima trade by TLS")
        self.expect(self.trade(server, "--tls"), "no connection to 127.0.0.1:", "dojima trade that does not trust the gateway")
        with connect(server.port) as link:
            answer = ask(link, logon())
            if "35=A" in answer:
                self.wrong.append("a Logon without TLS is taken")
        self.expect(server.stop(), "TLS: ", "the line of a handshake that failed")
        mutual = files + f'trusted = "{self.folder}/client.pem"\ndemand_client_certificate = true\nmin_version = "1.3"\n'
        server = self.serve(sections=mutual)
        trust.load_cert_chain(f"{self.folder}/client.pem", f"{self.folder}/client.key")
        with connect(server.port, trust) as link:
            self.expect(ask(link, logon()), "|35=A|", "a Logon with a client's certificate")
        ours = ("--certificate", f"{self.folder}/client.pem", "--key", f"{self.folder}/client.key")
        self.expect(self.trade(server, "--trusted", f"{self.folder}/venue.pem", *ours), "logged on to VENUE as CLIENT",
                    "dojima trade with a certificate")
        bare = ssl.create_default_context(cafile=f"{self.folder}/venue.pem")
        bare.check_hostname = False
        try:
            with connect(server.port, bare) as link:
                self.expect(ask(link, logon()), "", "a client without a certificate")
        except (ssl.SSLError, ConnectionError):
            pass
        server.stop()
        self.refused("without a certificate there is no TLS", "a key alone", sections='[tls]\nkey = "x"')
        self.refused("certificate_file /nowhere.pem: ", "a certificate that is not there", sections='[tls]\ncertificate = "/nowhere.pem"')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dojima", required=True, help="the program dojima")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dojima-gateway-") as made:
        tests = Tests(options.dojima, pathlib.Path(made))
        for test in (tests.hours, tests.admission, tests.templates, tests.profiles, tests.dictionary, tests.tls):
            test()
        for what in tests.wrong:
            print(what, file=sys.stderr)
        print(f"{tests.count} answers, {len(tests.wrong)} wrong")
        return 1 if tests.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
