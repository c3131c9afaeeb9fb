#!/usr/bin/env python3
"""Builds the documentation site: pages, the public headers, the help of every command, in one archive that unpacks anywhere.

    python3 tools/site/build.py --program build/release/bin/dojima [--python PYTHON] [--out build/site] [--date SECONDS]
                                [--json FILE]

The notebooks of examples/notebooks are pages; PYTHON, which has the Python package (that of `./dev wheel` where it is there), executes
them, and what they print is shown. Sphinx and what it needs come from PyPI into build/site-python, Doxygen and Graphviz from Debian. Warnings are errors. Exit
status: 0 built, 1 a warning, a link that leads nowhere, or something that a page would load from elsewhere; 2 wrong arguments;
3 no program, no Doxygen, or no packages.
"""

import argparse
import html.parser
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import artefact  # noqa: E402
import commands  # noqa: E402
import headers  # noqa: E402
import links  # noqa: E402
import notebooks  # noqa: E402
import pack  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "build" / "site-python"
PACKAGES = ROOT / "tools" / "site" / "requirements.txt"
MOST_SECONDS = 90  # of a build, once Sphinx is installed
# Pages of the reader's way in; the others follow behind them, by their names.
SECTIONS = [
    ("Begin", ["docs/tour", "docs/cli", "docs/connect-fix", "docs/connect-mit203", "docs/operations", "docs/packaging"]),
    ("The venue", ["docs/venue", "docs/trading-day", "docs/book", "docs/auctions", "docs/auction-table", "docs/scenarios",
                   "docs/journal", "docs/replay"]),
    ("Protocols and the gateway", ["docs/gateway", "docs/fix", "docs/fix-rules", "docs/order-fields", "docs/mit", "docs/mitch"]),
    ("Data and flows", ["docs/bring-your-own-data", "docs/recorded-data", "docs/flow", "docs/queueing", "docs/order-queue"]),
    ("Back-tests and Python", ["docs/backtest", "docs/python", "docs/python-api", "python/README"]),
    ("Notebooks", [f"examples/notebooks/{name}" for name in ("first_backtest", "latency", "queue_models", "impact", "auctions", "sweep")]),
    ("Time", ["docs/sched", "docs/scheduler-design", "docs/time", "docs/fsm", "docs/simulate"]),
    ("Measuring", ["docs/measuring", "docs/measure", "docs/evidence", "docs/budget", "docs/book-performance", "docs/claims",
                   "docs/two-articles", "docs/instruments", "docs/cores", "docs/harness"]),
]
LAST = [("Inside", ["ARCHITECTURE", "docs/building", "CONTRIBUTING"]), ("Look up", ["docs/glossary", "commands/index", "api/index"])]
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".xml": "xml", ".json": "json", ".cmake": "cmake", ".toml": "toml"}


# What is on a header's page: its text and all that is for users, without the namespaces around it.
PARTS = ("briefdescription detaileddescription define enum typedef var func innerclass user-defined public-type public-func "
         "public-attrib public-static-func public-static-attrib protected-type protected-func protected-attrib friend related")


class Trouble(Exception):
    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def run(words, what, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise Trouble(f"{what} failed:\n{(done.stdout + done.stderr).strip()[:6000]}")
    return done.stdout + done.stderr


def python():
    """The interpreter with Sphinx."""
    interpreter = VENV / "bin" / "python3"
    ready = VENV / "ready"
    wanted = PACKAGES.read_text()
    if not (ready.exists() and ready.read_text() == wanted):
        try:
            run([sys.executable, "-m", "venv", VENV], "making build/site-python")
            run([interpreter, "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15", "-r", PACKAGES],
                "installing Sphinx from PyPI")
        except Trouble as trouble:
            raise Trouble(f"{trouble}\nthe site needs what tools/site/requirements.txt names", 3) from None
        ready.write_text(wanted)
    return interpreter


# ------------------------------------------------------------------------------------------------------------------ pages


class Pages:
    """The Markdown that Sphinx reads, in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.sources = set()  # files that pages link and that get a page of their own

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def place_of(self, path):
        """Where a file of the tree is on the site: a page, or the file itself."""
        if path == "README.md":
            return "index.md"
        if path.endswith(".md"):
            return path
        if is_notebook(path):
            return str(Path(path).with_suffix(".md"))
        if (ROOT / path).is_dir():
            if not any((ROOT / path).glob("*.md")):
                raise Trouble(f"{path}: a folder without pages is linked")
            return f"{path}/index.md"
        if Path(path).suffix in (".json", ".png", ".svg"):
            copy = self.folder / path
            if not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, copy)
            return path
        self.sources.add(path)
        return f"sources/{path}.md"

    def add(self, name):
        """A page of the tree, its links turned to where things are on the site."""
        text = (ROOT / name).read_text(encoding="utf-8")
        lines = text.split("\n")
        here = os.path.dirname(self.place_of(name))
        for number, link in reversed(list(links.links_of(text))):
            target = link[3]
            path, mark, anchor = target.partition("#")
            if links.is_outside(target) or not path:
                continue
            to = self.place_of(os.path.normpath(os.path.join(os.path.dirname(name), path)))
            line = lines[number - 1]
            lines[number - 1] = line[:link.start(3)] + os.path.relpath(to, here or ".") + mark + anchor + line[link.end(3):]
        self.write(self.place_of(name), drawn("\n".join(lines), name))

    def add_sources(self):
        for path in sorted(self.sources):
            (self.folder / "_sources_of_the_tree" / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, self.folder / "_sources_of_the_tree" / path)
            language = LANGUAGES.get(Path(path).suffix, "none")
            self.write(f"sources/{path}.md", f"---\norphan: true\n---\n\n# `{path}`\n\n```{{literalinclude}} /_sources_of_the_tree/{path}\n"
                       f":language: {language}\n:linenos:\n:force:\n```\n")

    def add_toctrees(self):
        known = {str(page.relative_to(self.folder).with_suffix("")) for page in self.folder.rglob("*.md")}
        named = {page for _, pages in SECTIONS + LAST for page in pages}
        gone = sorted(named - known)
        if gone:
            raise Trouble(f"tools/site/build.py names pages that are not there: {', '.join(gone)}")
        folders = {page.parent for page in (self.folder / "docs").glob("*/*.md")}
        for folder in sorted(folders):
            name = str(folder.relative_to(self.folder))
            title = {"machines": "State machines, drawn", "dictionaries": "FIX dictionaries", "layouts": "Message layouts",
                     "formats": "File formats", "measurements": "Artefacts"}.get(folder.name, folder.name.capitalize())
            inner = sorted(page.stem for page in folder.glob("*.md") if page.stem != "index")
            self.write(f"{name}/index.md", f"# {title}\n\n```{{toctree}}\n:maxdepth: 1\n\n" + "\n".join(inner) + "\n```\n")
        reference = [f"docs/{folder.name}/index" for folder in sorted(folders)]
        rest = sorted(page for page in known if page not in named and re.fullmatch(r"docs/[^/]+", page))
        inside, look_up = LAST
        sections = [*SECTIONS, (inside[0], [*inside[1], *rest]), (look_up[0], [*look_up[1], *reference])]
        text = (self.folder / "index.md").read_text(encoding="utf-8")
        for caption, pages in sections:
            text += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
        self.write("index.md", text)


def is_notebook(path):
    return re.fullmatch(r"examples/notebooks/\w+\.py", path) is not None


def add_notebooks(pages):
    for path in sorted((ROOT / "examples" / "notebooks").glob("*.py")):
        name = str(path.relative_to(ROOT))
        try:
            pages.write(pages.place_of(name), notebooks.page_of(path, options.python))
        except (RuntimeError, ValueError) as trouble:
            raise Trouble(f"{name}: {trouble}") from None


def drawn(text, name):
    """Diagrams for Mermaid, which draws in the reader's browser, as pictures that the program describes to Graphviz."""
    machine = re.fullmatch(r"docs/machines/(.*)\.md", name)
    if not machine:
        return text
    dot = run([options.program, "fsm", "print", machine[1], "--as", "dot"], f"dojima fsm print {machine[1]}")
    return re.sub(r"```mermaid\n.*?\n```\n", lambda _: f"```{{graphviz}}\n:alt: {machine[1]}\n{dot.strip()}\n```\n", text, flags=re.S)


def add_commands(pages):
    program = commands.read(options.program.resolve())
    names = []
    for top in program.commands:
        names.append(top.words[1])
        parts = [f"# `{top.name}`\n"]
        for one in top.all():
            if one is not top:
                parts.append(f"{'#' * min(len(one.words) - 1, 6)} `{one.name}`\n")
            parts.append(f"```text\n{one.help.strip()}\n```\n")
        pages.write(f"commands/{top.words[1]}.md", "\n".join(parts))
    pages.write("commands/index.md", f"# Commands\n\n```text\n{program.help.strip()}\n```\n\n```{{toctree}}\n:maxdepth: 1\n\n" +
                "\n".join(sorted(names)) + "\n```\n")


# ------------------------------------------------------------------------------------------------------------ the headers


def rooms():
    """(room, the folders of its public headers) from bottom to top."""
    text = (ROOT / "CMakeLists.txt").read_text()
    for call in re.finditer(r"^dojima_room\((\w+)([^)]*)\)", text, flags=re.M):
        words = call[2].split()
        public = []
        if "PUBLIC" in words:
            for word in words[words.index("PUBLIC") + 1:]:
                if word.isupper():
                    break
                public.append(word)
        yield call[1], ["", *public]


def name_by_path(xml):
    """Doxygen's index names files without their folders; Breathe looks for them there, and many have the same name."""
    text = (xml / "index.xml").read_text(encoding="utf-8")

    def with_folder(found):
        place = re.findall(r"<location file=\"([^\"]+)\"", (xml / f"{found[2]}.xml").read_text(encoding="utf-8"))[-1]
        return f"{found[1]}<name>{place}</name>"

    text = re.sub(r"(<compound refid=\"([^\"]+)\" kind=\"file\">)<name>[^<]*</name>", with_folder, text)
    (xml / "index.xml").write_text(text, encoding="utf-8")


def add_headers(pages, work):
    """A page for each public header, which Doxygen takes apart."""
    staged = work / "headers"
    shutil.rmtree(staged, ignore_errors=True)
    found = {}
    for room, folders in rooms():
        paths = [path for folder in folders for path in sorted((ROOT / "dojima" / room / folder).glob("*.hpp"))
                 if "_test" not in path.stem]
        found[room] = paths
        # The private ones have no pages; classes within their classes may be public.
        for path in sorted((ROOT / "dojima" / room).rglob("*.hpp")):
            if "_test" in path.stem:
                continue
            name = path.relative_to(ROOT)
            (staged / name).parent.mkdir(parents=True, exist_ok=True)
            (staged / name).write_text(headers.for_doxygen(path.read_text(encoding="utf-8"), name), encoding="utf-8")
    settings = (ROOT / "tools" / "site" / "Doxyfile").read_text()
    (work / "Doxyfile").write_text(f"{settings}\nINPUT = {staged}\nSTRIP_FROM_PATH = {staged}\nOUTPUT_DIRECTORY = {work}\n")
    shutil.rmtree(work / "xml", ignore_errors=True)
    run(["doxygen", work / "Doxyfile"], "doxygen")
    name_by_path(work / "xml")
    # Not in the menu: every page has all of that, and three hundred headers in it took most of the time.
    for room, paths in found.items():
        summary = "".join(f"| [`{path.relative_to(ROOT / 'dojima' / room)}`]({path.stem if path.parent.name == room else path.parent.name + '-' + path.stem}.md) "
                          f"| {headers.brief(path.read_text(encoding='utf-8')).replace('|', chr(92) + '|')} |\n" for path in paths)
        for path in paths:
            inner = path.relative_to(ROOT / "dojima" / room)
            name = str(inner.with_suffix("")).replace("/", "-")
            pages.write(f"api/{room}/{name}.md", f"---\norphan: true\n---\n\n# `dojima/{room}/{inner}`\n\n```{{doxygenfile}} dojima/{room}/{inner}\n:sections: {PARTS}\n```\n")
        pages.write(f"api/{room}/index.md", f"# Room `{room}`\n\n| header | what it is |\n|---|---|\n{summary}")
    pages.write("api/index.md", "# Public headers\n\nRoom by room, from the lowest floor up; a room uses only rooms below it "
                "([rooms](../ARCHITECTURE.md#the-rooms)).\n\n```{toctree}\n:maxdepth: 1\n\n" +
                "\n".join(f"{room}/index" for room in found) + "\n```\n")


# --------------------------------------------------------------------------------------------------------------- the site


class Loads(html.parser.HTMLParser):
    """What a page refers to: what it loads by itself, and where its links lead."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.loads, self.leads, self.anchors = [], [], set()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        for name in ("id", "name"):
            if given.get(name):
                self.anchors.add(given[name])
        for name in ("src", "srcset", "poster", "data"):
            if given.get(name) and tag != "meta":
                self.loads.append(given[name])
        if given.get("href"):
            (self.leads if tag == "a" else self.loads).append(given["href"])


def check(site):
    """Everything that pages load and link is in the site; nothing is loaded from elsewhere."""
    wrong = []
    pages = {}
    for file in sorted(site.rglob("*.html")):
        page = Loads()
        page.feed(file.read_text(encoding="utf-8"))
        pages[file] = page
    for file, page in pages.items():
        for target in page.loads + page.leads:
            if re.match(r"(data:|mailto:|#$)", target):
                continue
            if re.match(r"([a-z]+:)?//", target):
                if target in page.loads:
                    wrong.append(f"{file.relative_to(site)} loads {target}")
                continue
            path, _, anchor = target.partition("#")
            path = path.partition("?")[0]
            to = (file.parent / path).resolve() if path else file.resolve()
            if not to.exists():
                wrong.append(f"{file.relative_to(site)}: {target} is not there")
            elif anchor and to.suffix == ".html" and to in pages and anchor not in pages[to].anchors:
                wrong.append(f"{file.relative_to(site)}: {target}: no such place on that page")
    for file in sorted(site.rglob("*.css")):
        for address in re.findall(r"url\(['\"]?((?:https?:)?//[^)'\"]+)|@import\s+['\"]((?:https?:)?//[^'\"]+)", file.read_text(encoding="utf-8")):
            wrong.append(f"{file.relative_to(site)} loads {''.join(address)}")
    if not (site / "searchindex.js").is_file():
        wrong.append("there is no search index")
    if wrong:
        raise Trouble("the site is wrong:\n" + "\n".join(wrong[:50]) + (f"\nand {len(wrong) - 50} more" if len(wrong) > 50 else ""))
    return len(pages)


def version():
    return re.search(r"project\(dojima VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def build():
    if not options.program.is_file():
        raise Trouble(f"no program {options.program}: ./dev build dojima", 3)
    for tool in ("doxygen", "dot"):
        if shutil.which(tool) is None:
            raise Trouble(f"{tool} is not installed: apt-get install doxygen graphviz", 3)
    wrong = list(links.wrong_links(ROOT))
    if wrong:
        raise Trouble("links that lead nowhere:\n" + "\n".join(wrong))
    interpreter = python()
    begin = time.monotonic()  # fetching packages is not building
    work = options.out / "work"
    source = work / "pages"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    pages = Pages(source)
    for name in links.pages_of(ROOT):
        pages.add(name)
    pages.add_sources()
    add_notebooks(pages)
    add_commands(pages)
    add_headers(pages, work)
    pages.add_toctrees()
    name = f"dojima-docs-{version()}"
    for old in options.out.glob("dojima-docs-*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    site = options.out / name
    environment = {**os.environ, "DOJIMA_VERSION": version(), "DOJIMA_DOXYGEN_XML": str((work / "xml").resolve()),
                   "SOURCE_DATE_EPOCH": str(options.date), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    run([interpreter, "-m", "sphinx", "-q", "-E", "-W", "--keep-going", "-j", str(os.cpu_count() or 1), "-b", "html",
         "-c", ROOT / "tools" / "site", "-d", work / "doctrees", source, site], "sphinx", env=environment)
    for extra in (".buildinfo", "objects.inv", ".doctrees"):
        leftover = site / extra
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink(missing_ok=True)
    count = check(site)
    archive = options.out / f"{name}.tar.gz"
    pack.archive(site, archive, options.date)
    seconds = time.monotonic() - begin
    print(f"{archive}: {count} pages, {archive.stat().st_size / 1e6:.1f} MB, {seconds:.1f} s; "
          f"{'' if options.python else 'notebooks without what they print (./dev wheel first), '}open {site}/index.html")
    if options.json:
        rows = [["pages", count], ["files", sum(file.is_file() for file in site.rglob("*"))], ["archive, bytes", archive.stat().st_size],
                ["seconds", artefact.number(seconds, 1)]]
        result = artefact.table("site", "the documentation site", {"what": "", "value": ""}, rows)
        checks = [(f"at most {MOST_SECONDS} s", seconds <= MOST_SECONDS, f"{seconds:.1f} s")]
        versions = run([interpreter, "-m", "sphinx", "--version"], "sphinx").strip() + ", doxygen " + run(["doxygen", "--version"], "doxygen").strip()
        options.json.write_text(artefact.artefact(ROOT, "tools/site/build.py", {"notebooks": "executed" if options.python else "as text"},
                                                  [result], checks, versions))


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "bin" / "dojima")
    with_package = ROOT / "build" / "wheel-venv" / "bin" / "python3"
    parser.add_argument("--python", type=Path, default=with_package if with_package.exists() else None,
                        help="executes the notebooks: a Python with the package and NumPy")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--date", type=int, default=pack.source_date(), help="seconds since 1970, of the files in the archive")
    parser.add_argument("--json", type=Path, help="write pages, bytes and seconds as an artefact")
    options = parser.parse_args()
    options.python = options.python and options.python.absolute()  # links of an environment are not followed
    try:
        build()
    except (Trouble, commands.NoHelp) as trouble:
        print(f"tools/site/build.py: {trouble}", file=sys.stderr)
        return getattr(trouble, "status", 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
