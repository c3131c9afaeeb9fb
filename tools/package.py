#!/usr/bin/env python3
"""Makes what is handed out, from a finished build: an archive, and the Debian packages dojima, libdojima-dev and dojima-doc.

    python3 tools/package.py [--build build/release] [--out build/package] [--site build/site/dojima-docs-V.tar.gz | --no-doc]
                             [--wheel] [--date SECONDS] [--once]

Everything is made twice, and both must be the same bytes (--once: not); the site, and with --wheel the Python package of
build/wheel, are put beside it as they are. Needs help2man and dpkg-dev. Exit status: 0 made, 1 something failed or differed,
2 wrong arguments, 3 something that it needs is not there.
"""

import argparse
import filecmp
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from email.utils import formatdate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import commands  # noqa: E402
import pack  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
MAINTAINER = "Dojima maintainers <maintainers@dojima.invalid>"
DESCRIPTIONS = {
    "dojima": ("trading venue, FIX gateway, event scheduler and latency lab",
               "A whole market in one program: a venue with price-time order books, auctions and a journal, a gateway that "
               "connects FIX clients to it, a client to type at, replay of recorded days, and instruments that say what a "
               "machine does to latency.\n"
               "Two systemd services run the venue and the gateway; both are off until they are enabled."),
    "libdojima-dev": ("trading venue, FIX gateway, event scheduler and latency lab (development)",
                      "Headers, static libraries and CMake files of Dojima's rooms: scheduler, order book, FIX and Millennium "
                      "codecs and sessions, journal, market data, measurement. A program links only the rooms that it names.\n"
                      "The libraries are made for x86-64-v2."),
    "dojima-doc": ("trading venue, FIX gateway, event scheduler and latency lab (documentation)",
                   "The documentation of Dojima as pages that are read without a network: protocols, rules of the book, "
                   "measurements with their artefacts, commands, public headers."),
}


class Trouble(Exception):
    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def run(words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise Trouble(f"{words[0]} failed:\n{(done.stdout + done.stderr).strip()[-3000:]}")
    return done.stdout


def version():
    return re.search(r"project\(dojima VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class Made:
    """One run: stages below `work`, results in `out`."""

    def __init__(self, options, work, out):
        self.options, self.work, self.out = options, work, out
        self.version = version()
        self.program = (options.build / "bin" / "dojima").resolve()
        self.architecture = run(["dpkg", "--print-architecture"]).strip()

    def install(self, component, prefix):
        run(["cmake", "--install", self.options.build, "--prefix", prefix, "--component", component])

    def strip(self, folder):
        for file in sorted(folder.rglob("*")):
            if file.is_symlink() or not file.is_file():
                continue
            if file.suffix == ".a":
                run(["strip", "--strip-debug", "--enable-deterministic-archives", file])
            elif file.read_bytes()[:4] == b"\x7fELF":
                run(["strip", "--strip-all", "--remove-section=.comment", "--remove-section=.note", file])

    # ------------------------------------------------------------------------------------------------- the archive

    def archive(self):
        name = f"dojima-{self.version}-linux-{self.architecture}"
        prefix = self.work / name
        for component in ("program", "development"):
            self.install(component, prefix)
        self.strip(prefix)
        self.add_words(prefix / "share", compress=False)
        pack.archive(prefix, self.out / f"{name}.tar.gz", self.options.date)

    # ----------------------------------------------------------------------------------- manual pages and completion

    def add_words(self, share, compress=True):
        """What help and completion are made of, in a share folder."""
        pages = commands.manual_pages(self.program, share / "man" / "man1", self.version, self.options.date)
        if compress:
            for page in pages:
                self.compress(page)
        zsh = "zsh/vendor-completions" if compress else "zsh/site-functions"
        for shell, place in (("bash", "bash-completion/completions/dojima"), ("zsh", f"{zsh}/_dojima"),
                             ("fish", "fish/vendor_completions.d/dojima.fish")):
            file = share / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(run([self.program, "completion", shell]))

    def compress(self, file):
        with file.open("rb") as content, open(f"{file}.gz", "wb") as out, \
                gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as packed:
            shutil.copyfileobj(content, packed)
        file.unlink()

    # ----------------------------------------------------------------------------------------------- Debian packages

    def deb(self, package, root, fields, *, scripts=(), conffiles=()):
        """`root` as a package: its papers added, its modes and dates set."""
        papers = root / "usr" / "share" / "doc" / package
        papers.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "packaging" / "debian" / "copyright", papers / "copyright")
        if package == "dojima":
            shutil.copyfile(ROOT / "NOTICE", papers / "NOTICE")
            self.compress(papers / "NOTICE")
        changes = papers / "changelog"
        changes.write_text(f"dojima ({self.version}) unstable; urgency=medium\n\n  * Version {self.version}.\n\n"
                           f" -- {MAINTAINER}  {formatdate(self.options.date, usegmt=False)}\n")
        self.compress(changes)
        control = root / "DEBIAN"
        control.mkdir()
        for script in scripts:
            shutil.copyfile(ROOT / "packaging" / "debian" / script, control / script)
        if conffiles:
            (control / "conffiles").write_text("".join(f"{file}\n" for file in conffiles))
        files = sorted(file for file in root.rglob("*") if file.is_file() and not file.is_symlink() and control not in file.parents)
        sums = [run(["md5sum", file]).split()[0] + f"  {file.relative_to(root)}\n" for file in files]
        (control / "md5sums").write_text("".join(line for line, file in zip(sums, files)
                                                 if f"/{file.relative_to(root)}" not in conffiles))
        summary, text = DESCRIPTIONS[package]
        paragraphs = "\n .\n".join("\n".join(f" {line}" for line in wrapped(part)) for part in text.split("\n"))
        size = sum((file.stat().st_size + 1023) // 1024 for file in files)
        everything = {"Package": package, "Source": "dojima" if package != "dojima" else None, "Version": self.version,
                      "Maintainer": MAINTAINER, "Installed-Size": size, **fields, "Section": fields["Section"],
                      "Priority": "optional", "Homepage": None, "Description": f"{summary}\n{paragraphs}"}
        (control / "control").write_text("".join(f"{name}: {value}\n" for name, value in everything.items() if value is not None))
        for path in [root, *root.rglob("*")]:
            if path.is_symlink():
                continue
            runs = path.is_dir() or path.parent.name == "bin" or path in [control / script for script in scripts]
            path.chmod(0o755 if runs else 0o600 if f"/{path.relative_to(root)}" in conffiles else 0o644)
        for path in [*root.rglob("*"), root]:
            os.utime(path, (self.options.date, self.options.date), follow_symlinks=False)
        file = self.out / f"{package}_{self.version}_{fields['Architecture']}.deb"
        run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, file],
            env={**os.environ, "SOURCE_DATE_EPOCH": str(self.options.date)})

    def shared_libraries(self, program):
        place = self.work / "shlibdeps"
        (place / "debian").mkdir(parents=True, exist_ok=True)
        (place / "debian" / "control").write_text("Source: dojima\n\nPackage: dojima\nArchitecture: any\n")
        words = run(["dpkg-shlibdeps", "-O", program], cwd=place)
        return re.search(r"shlibs:Depends=(.*)", words)[1]

    def program_package(self):
        root = self.work / "dojima"
        self.install("program", root / "usr")
        shutil.rmtree(root / "usr" / "share" / "doc")
        self.strip(root)
        self.add_words(root / "usr" / "share")
        units = root / "lib" / "systemd" / "system"
        units.mkdir(parents=True)
        settings = root / "etc" / "dojima"
        settings.mkdir(parents=True)
        for kind in ("venue", "gateway"):
            shutil.copyfile(ROOT / "packaging" / "systemd" / f"dojima-{kind}.service", units / f"dojima-{kind}.service")
            (settings / f"{kind}.toml").write_text(run([self.program, "config", "default", kind], cwd=settings))
        self.deb("dojima", root,
                 {"Architecture": self.architecture, "Section": "misc",
                  "Depends": self.shared_libraries(root / "usr" / "bin" / "dojima") + ", tzdata", "Suggests": "dojima-doc"},
                 scripts=("postinst", "prerm", "postrm"), conffiles=("/etc/dojima/gateway.password", "/etc/dojima/gateway.toml", "/etc/dojima/venue.toml"))

    def development_package(self):
        root = self.work / "libdojima-dev"
        self.install("development", root / "usr")
        self.strip(root)
        # What archives of single rooms link: whoever uses those rooms installs it.
        linked = ["libfmt-dev", "libssl-dev", "libmd-dev", "zlib1g-dev", "liblzma-dev", "libzstd-dev", "libxxhash-dev", "libpugixml-dev",
                  "libhowardhinnant-date-dev", "libtomlplusplus-dev"]
        self.deb("libdojima-dev", root,
                 {"Architecture": self.architecture, "Section": "libdevel", "Depends": f"dojima (= {self.version})",
                  "Recommends": ", ".join(linked), "Suggests": "cmake, dojima-doc"})

    def documentation_package(self):
        root = self.work / "dojima-doc"
        pages = root / "usr" / "share" / "doc" / "dojima-doc"
        pages.mkdir(parents=True)
        with tarfile.open(self.options.site) as archive:
            archive.extractall(pages)
        next(pages.glob("dojima-docs-*")).rename(pages / "html")
        base = root / "usr" / "share" / "doc-base"
        base.mkdir(parents=True)
        shutil.copyfile(ROOT / "packaging" / "debian" / "dojima-doc.doc-base", base / "dojima-doc.dojima")
        self.deb("dojima-doc", root, {"Architecture": "all", "Section": "doc", "Suggests": "dojima"})
        shutil.copyfile(self.options.site, self.out / self.options.site.name)

    def all(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        self.archive()
        self.program_package()
        self.development_package()
        if self.options.site:
            self.documentation_package()
        for file in self.options.python:
            shutil.copyfile(file, self.out / file.name)
        return sorted(self.out.iterdir())


def wrapped(text, width=76):
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


def python_package():
    """Source archive and wheels of build/wheel. A wheel that is older than the archive is of other sources, and stays where it is."""
    folder = ROOT / "build" / "wheel"
    archive = folder / f"dojima-{version()}.tar.gz"
    made = archive.stat().st_mtime if archive.is_file() else None
    wheels = sorted(folder.glob(f"dojima-{version()}-*.whl"))
    fresh = [wheel for wheel in wheels if made is not None and wheel.stat().st_mtime >= made]
    if not fresh:
        raise Trouble(f"no source archive with a wheel of it in {folder}: ./dev wheel", 3)
    for wheel in wheels:
        if wheel not in fresh:
            print(f"left out: {wheel.name}, which is of other sources")
    return [archive, *fresh]


def package(options):
    for tool, of in (("help2man", "help2man"), ("dpkg-deb", "dpkg"), ("dpkg-shlibdeps", "dpkg-dev"), ("strip", "binutils")):
        if shutil.which(tool) is None:
            raise Trouble(f"{tool} is not installed: apt-get install {of}", 3)
    if not (options.build / "bin" / "dojima").is_file() or not (options.build / "cmake_install.cmake").is_file():
        raise Trouble(f"{options.build} is no finished build: ./dev build", 3)
    if options.site and not options.site.is_file():
        raise Trouble(f"no {options.site}: ./dev docs makes it, --no-doc does without", 3)
    options.python = python_package() if options.wheel else []
    begin = time.monotonic()
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as place:
        files = Made(options, Path(place) / "work", options.out).all()
        if not options.once:
            # In a folder of another name, a while later.
            again = Made(options, Path(place) / "other" / "work-again", Path(place) / "again").all()
            if [file.name for file in files] != [file.name for file in again]:
                raise Trouble("made twice: other files the second time")
            differing = [file.name for file, other in zip(files, again) if not filecmp.cmp(file, other, shallow=False)]
            if differing:
                raise Trouble(f"made twice, and not the same bytes: {', '.join(differing)}")
    sums = run(["sha256sum", *[file.name for file in files]], cwd=options.out)
    (options.out / "SHA256SUMS").write_text(sums)
    for file in files:
        print(f"made: {file} ({file.stat().st_size / 1e6:.1f} MB)")
    print(f"{'once' if options.once else 'twice, the same bytes'}, {time.monotonic() - begin:.0f} s; {options.out}/SHA256SUMS")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "package")
    parser.add_argument("--site", type=Path, default=ROOT / "build" / "site" / f"dojima-docs-{version()}.tar.gz")
    parser.add_argument("--no-doc", dest="site", action="store_const", const=None, help="without the documentation")
    parser.add_argument("--wheel", action="store_true", help="with the Python package's wheels and source archive")
    parser.add_argument("--date", type=int, default=pack.source_date(), help="seconds since 1970, of all files")
    parser.add_argument("--once", action="store_true", help="do not make everything again to compare")
    options = parser.parse_args()
    try:
        package(options)
    except (Trouble, commands.NoHelp) as trouble:
        print(f"tools/package.py: {trouble}", file=sys.stderr)
        return getattr(trouble, "status", 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
