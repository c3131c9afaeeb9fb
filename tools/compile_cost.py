#!/usr/bin/env python3
"""What state machines and perfect hashes cost the compiler: seconds of processor time and peak memory.

Compiles each unit several times with each compiler and shows the least time and the largest memory: machines of 50 and
128 rows, hashes of 93 and 1,000 keys, the gateway's translator, the codecs of MIT203 and MIT303, the units of `web` that see
Boost.Beast, and Boost.MSM with the same 50 rows. The machines are written out by this program, the same rows for both libraries;
--keep shows them. What the compiler driver starts is counted with it; ccache is not asked.

    compile_cost.py --compiler g++ --compiler clang++-19 --json cost.json

Exit status: 0; 1 when a unit costs more than the project allows; 2 when something does not compile.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import artefact

MASK = (1 << 64) - 1
SINGLE = "0123456789ABCDEFGHJKLMNPQRSTVWXYZabcdefghijklmnopqrstuvwxyz"
DOUBLE = [first + second for first, last in (("A", "Z"), ("B", "H")) for second in map(chr, range(ord("A"), ord(last) + 1))]

MSM_HEAD = """#define BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
#define BOOST_MPL_LIMIT_LIST_SIZE 50
#define BOOST_MPL_LIMIT_VECTOR_SIZE 50
#define BOOST_MPL_LIMIT_MAP_SIZE 50
#define BOOST_MPL_LIMIT_SET_SIZE 50
#define FUSION_MAX_VECTOR_SIZE 50
#include <boost/mpl/vector/vector50.hpp>
#include <boost/msm/back/state_machine.hpp>
#include <boost/msm/front/functor_row.hpp>
#include <boost/msm/front/state_machine_def.hpp>
"""
CONTEXT = """struct Context { unsigned long value = 1; unsigned long misses = 0; };
"""


def next_state(state, event, states):
    return (state + 1) % states if event == 0 else (state * (2 * event + 1) + event) % states


def rows(states, events):
    return [(s, e, next_state(s, e, states), s * events + e) for s in range(states) for e in range(events)]


def our_machine(states, events):
    lines = [f"    fsm::Row<State::s{s}, Event::e{e}, State::s{n}, &act<{number}>>," for s, e, n, number in rows(states, events)]
    return f"""#include <cstddef>
#include <cstdint>

#include "dojima/fsm/machine.hpp"

namespace fsm = dojima::fsm;
{CONTEXT}template <int Number>
void act(Context& context) {{ context.value = context.value * 31 + Number; }}
void miss(Context& context) {{ ++context.misses; }}
enum class State : std::uint8_t {{ {', '.join(f's{s}' for s in range(states))} }};
enum class Event : std::uint8_t {{ {', '.join(f'e{e}' for e in range(events))} }};
struct Definition {{
  using State = ::State;
  using Event = ::Event;
  static constexpr State initial = State::s0;
  static constexpr bool is_total = true;
  using rows = fsm::Rows<
""" + "\n".join(lines) + """
    fsm::Row<fsm::match_all, fsm::match_all, fsm::keep_state, &miss>>;
};
static_assert(fsm::Table<Definition>::unreachable.empty());
static_assert(fsm::Table<Definition>::shadowed.empty());
static_assert(fsm::Table<Definition>::guarded_without_else.empty());
void run(Context& context, const std::uint8_t* events, std::size_t count) {
  fsm::Machine<Definition, Context> machine(context);
  for (std::size_t at = 0; at < count; ++at) machine.process(static_cast<Event>(events[at]));
}
"""


def msm_machine(states, events):
    lines = [f"    Row<S{s}, E{e}, S{n}, Act<{number}>, none>" for s, e, n, number in rows(states, events)]
    return MSM_HEAD + f"""#include <cstddef>
#include <cstdint>

{CONTEXT}{' '.join(f'struct E{e} {{}};' for e in range(events))}
{' '.join(f'struct S{s} : boost::msm::front::state<> {{}};' for s in range(states))}
template <int Number>
struct Act {{
  template <class Fired, class Machine, class Source, class Target>
  void operator()(const Fired&, Machine& machine, Source&, Target&) {{
    machine.context->value = machine.context->value * 31 + Number;
  }}
}};
struct Definition : boost::msm::front::state_machine_def<Definition> {{
  using no_exception_thrown = int;
  using no_message_queue = int;
  using initial_state = S0;
  template <class... Types>
  using Row = boost::msm::front::Row<Types...>;
  using none = boost::msm::front::none;
  struct transition_table : boost::mpl::vector<
""" + ",\n".join(lines) + """> {};
  template <class Machine, class Fired>
  void no_transition(const Fired&, Machine& machine, int) { ++machine.context->misses; }
  Context* context = nullptr;
};
void run(Context& context, const std::uint8_t* events, std::size_t count) {
  boost::msm::back::state_machine<Definition> machine;
  machine.context = &context;
  machine.start();
  for (std::size_t at = 0; at < count; ++at) {
    switch (events[at]) {
""" + "\n".join(f"      case {e}: machine.process_event(E{e}{{}}); break;" for e in range(events)) + """
      default: ++context.misses;
    }
  }
}
"""


def hash_unit(keys):
    return f"""#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/fsm/key_lookup.hpp"

struct Keys {{
  static constexpr std::array<std::uint16_t, {len(keys)}> keys{{{', '.join(map(str, keys))}}};
}};
std::size_t index(std::uint16_t key) {{ return dojima::fsm::KeyLookup<Keys>::index(key); }}
"""


def fix_types():
    return [int.from_bytes(text.encode(), "big") for text in [*SINGLE, *DOUBLE]]


def thousand_tags():
    return [number * 65 + number * number % 61 for number in range(1000)]


UNITS = {
    "nothing": "int nothing;\n",
    "fsm headers alone": "#include \"dojima/fsm/machine.hpp\"\n",
    "machine of 50 rows": our_machine(10, 5),
    "machine of 128 rows": our_machine(64, 2),
    "Boost.MSM, 50 rows": msm_machine(10, 5),
    "hash of 93 keys": hash_unit(fix_types()),
    "hash of 1000 keys": hash_unit(thousand_tags()),
}
# Parts of the product that have a budget: their units, and the seconds that all of them may take.
PARTS = {
    "translator": (("gateway/translator.cpp", "gateway/translator/client_to_exchange.cpp", "gateway/translator/exchange_to_client.cpp",
                    "gateway/translator/client_channels.cpp", "gateway/translator/order_lifecycle.cpp"), 15),
    "both codecs": (("mit/lse_21_2.cpp", "mit/bit_9_4.cpp", "mit/lse_11_8_5.cpp", "mit/codec/check.cpp", "mitch/unit.cpp",
                     "mitch/feed_writer.cpp", "mitch/book_publisher.cpp", "mitch/book_builder.cpp"), 20),
    # All that sees Boost.Beast. With coroutines one such unit took 47 s.
    "web": (("web/http_client.cpp", "web/http_server.cpp", "web/sockets/socket_hub.cpp"), 60),
}


def cost(command):
    """Processor seconds and peak MB of a process and all it started."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            raise RuntimeError(f"{' '.join(map(str, command))}\n{errors.read().decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(compiler, flags, units, repeats):
    """{name: (least seconds, largest MB)}. Units in turn, so that what disturbs the machine disturbs all."""
    found = {}
    for _ in range(repeats):
        for name, path in units.items():
            seconds, megabytes = cost([compiler, *flags, "-c", path, "-o", os.devnull])
            before = found.get(name, (float("inf"), 0))
            found[name] = min(before[0], seconds), max(before[1], megabytes)
            print(f"{compiler}: {name}: {seconds:.2f} s, {megabytes:.0f} MB", file=sys.stderr)
    return found


def judged(compiler, found):
    ours, theirs = found["machine of 50 rows"], found["Boost.MSM, 50 rows"]
    large = found["machine of 128 rows"]
    limits = [("50 rows: at most a quarter of Boost.MSM's time", ours[0] / theirs[0], 0.25, ""),
              ("50 rows: at most a third of Boost.MSM's memory", ours[1] / theirs[1], 1 / 3, ""),
              ("50 rows: about 1 s", ours[0], 1.2, " s"), ("50 rows: about 200 MB", ours[1], 220, " MB"),
              ("128 rows: about 2.5 s", large[0], 2.75, " s"), ("128 rows: about 300 MB", large[1], 330, " MB")]
    for part, (_, seconds) in PARTS.items():
        whole = found[f"{part}, all units"]
        limits += [(f"{part}: at most {seconds} s", whole[0], seconds, " s"),
                   (f"{part}: at most 1,024 MB a unit", whole[1], 1024, " MB")]
    return [(f"{compiler}: {name}", value <= limit, f"{value:.2f}{unit}") for name, value, limit, unit in limits]


def version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", help="may be given several times (default: g++ and clang++-19)")
    parser.add_argument("--repeats", type=int, default=3, help="of each unit (default: 3)")
    parser.add_argument("--flags", default="-std=c++23 -O2", help="default: -std=c++23 -O2")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    parser.add_argument("--keep", metavar="DIR", help="write the units there and compile nothing")
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    compilers = options.compiler or ["g++", "clang++-19"]
    flags = [*options.flags.split(), f"-I{root}"]

    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        units = {}
        for number, (name, text) in enumerate(UNITS.items()):
            units[name] = folder / f"unit_{number}.cpp"
            units[name].write_text(f"// {name}\n{text}")
        if options.keep:
            return 0
        for files, _ in PARTS.values():
            for file in files:
                units[file] = root / "dojima" / file
        rows_of_table, checks = [], []
        for compiler in compilers:
            try:
                found = measure(compiler, flags, units, options.repeats)
            except RuntimeError as trouble:
                print(trouble, file=sys.stderr)
                return 2
            for part, (files, _) in PARTS.items():
                found[f"{part}, all units"] = (sum(found[file][0] for file in files), max(found[file][1] for file in files))
            for name, (seconds, megabytes) in found.items():
                rows_of_table.append([compiler, name, artefact.number(seconds, 2), artefact.number(megabytes, 0)])
            checks += judged(compiler, found)
    columns = {"compiler": "", "unit": "", "cpu_s": f"processor seconds, the least of {options.repeats}",
               "peak_mb": "largest resident memory of a process, in MB of 2^20 bytes"}
    result = artefact.table("compile_cost", f"compile cost, {options.flags}", columns, rows_of_table)
    print(artefact.to_text(result))
    for name, is_ok, detail in checks:
        print(f"{'reached' if is_ok else 'missed '}  {name}: {detail}")
    if options.json:
        text = artefact.artefact(root, "tools/compile_cost.py", {"flags": options.flags, "repeats": options.repeats}, [result],
                                 checks, "; ".join(map(version, compilers)))
        pathlib.Path(options.json).write_text(text)
    return 0 if all(is_ok for _, is_ok, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
