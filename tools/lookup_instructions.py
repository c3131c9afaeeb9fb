#!/usr/bin/env python3
"""How many instructions each lookup has, from the disassembly, and what compilers make of a switch.

Compiles bench/fsm/lookup_probe.cpp with each compiler and counts, in each of its functions, the instructions (the ones
for a miss included, padding not), the comparisons and the indirect jumps. A lookup is hash, load, comparison of the key
and the miss. Fails when a direct or multiply-shift lookup has more than 12 or a two-level one more than 18.

    lookup_instructions.py --compiler g++ --compiler clang++-19 --json instructions.json

Exit status: 0; 1 when a lookup is longer than it may be; 2 when the probe does not compile; 3 without gperf or objdump.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import shutil
import tempfile

import artefact

LIMITS = {"direct": 12, "multiply_shift": 12, "two_level": 18}
PADDING = re.compile(r"^(nop|data16|cs nop|xchg +%ax,%ax|endbr64|int3)")
FUNCTION = re.compile(r"^[0-9a-f]+ <((?:lookup|dispatch)_\w+)(\.cold)?>:$")
INSTRUCTION = re.compile(r"^\s+([0-9a-f]+):\t(.+)$")


def compile_probe(root, folder, compiler, flags):
    compiled = folder / "probe.o"
    command = [compiler, *flags, f"-I{root}", f"-I{root}/bench/fsm", f"-I{folder}", "-ffunction-sections", "-fPIE",
               "-c", root / "bench" / "fsm" / "lookup_probe.cpp", "-o", compiled]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return compiled


def functions_of(compiled):
    """{name: [(address, instruction)]}; what the compiler set aside as cold belongs to its function."""
    return functions_in(subprocess.run(["objdump", "-d", "--no-show-raw-insn", compiled], capture_output=True, text=True, check=True).stdout)


def functions_in(text):
    functions, current = {}, None
    for line in text.splitlines():
        if found := FUNCTION.match(line):
            current = functions.setdefault(found[1], [])
        elif line.endswith(">:"):
            current = None
        elif current is not None and (found := INSTRUCTION.match(line)) and not PADDING.match(found[2].strip()):
            current.append((found[1], found[2].strip()))
    return functions


def is_indirect_jump(instruction):
    return re.match(r"(notrack )?jmp +\*", instruction) is not None


def is_comparison(instruction):
    return instruction.startswith(("cmp", "test"))


def shown(address, instruction):
    """As a page has it: where it is, without the names that the assembler made up for it and for where it jumps."""
    return f"{address:>3}: " + re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", instruction.split("#")[0])).strip()


def side_by_side(compiler, listings):
    """The functions' instructions in columns, for a page."""
    columns = [[f"{compiler}: {name}", "", *(shown(*one) for one in instructions)] for name, instructions in listings]
    widths = [max(map(len, column)) + 3 for column in columns]
    height = max(map(len, columns))
    return "\n".join("".join((column[at] if at < len(column) else "").ljust(width)
                             for column, width in zip(columns, widths)).rstrip() for at in range(height)) + "\n"


def self_test():
    """A listing whose jumps name where they go and whose columns stay straight."""
    text = """
0000000000000000 <dispatch_fix4_if_else>:
   0:\tcmp    $0x44,%dil
   4:\tje     30 <dispatch_fix4_if_else+0x30>
   6:\tnopw   0x0(%rax,%rax,1)
  30:\tret
0000000000000000 <dispatch_fix4_xor_modulo>:
   0:\tlea    0x0(%rip),%rcx        # 9 <dispatch_fix4_xor_modulo+0x9>
   7:\tnotrack jmp *%rcx
"""
    functions = functions_in(text)
    got = side_by_side("g++", list(functions.items()))
    wanted = ("g++: dispatch_fix4_if_else   g++: dispatch_fix4_xor_modulo\n\n"
              "  0: cmp $0x44,%dil            0: lea 0x0(%rip),%rcx\n"
              "  4: je 30                     7: notrack jmp *%rcx\n"
              " 30: ret\n")
    if got != wanted:
        print(f"expected\n{wanted}\ngot\n{got}")
        return 1
    counts = [sum(map(count, (one for _, one in functions[name]))) for name in functions for count in (is_comparison, is_indirect_jump)]
    if counts != [1, 0, 0, 1]:
        print(f"comparisons and indirect jumps: {counts}")
        return 1
    print("a listing is what the disassembly says")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", help="may be given several times (default: g++ and clang++-19)")
    parser.add_argument("--flags", default="-std=c++23 -O2", help="default: -std=c++23 -O2")
    parser.add_argument("--json", metavar="FILE", help="write the result as an artefact")
    parser.add_argument("--show", metavar="NAME", help="print the disassembly of this function as well")
    parser.add_argument("--side-by-side", metavar="NAME", nargs="+", help="print the disassembly of these functions in columns")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    root = pathlib.Path(__file__).resolve().parent.parent
    gperf = shutil.which("gperf")
    if gperf is None or shutil.which("objdump") is None:
        print("needs gperf and objdump (package binutils)", file=sys.stderr)
        return 3

    rows, checks, versions = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        subprocess.run([sys.executable, root / "bench" / "fsm" / "gperf_sets.py", "--gperf", gperf,
                        "--output", folder / "gperf_sets.hpp"], check=True)
        for compiler in options.compiler or ["g++", "clang++-19"]:
            try:
                functions = functions_of(compile_probe(root, folder, compiler, options.flags.split()))
            except RuntimeError as trouble:
                print(trouble, file=sys.stderr)
                return 2
            name_of_compiler = pathlib.Path(compiler).name
            versions.append(subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0])
            for name, listing in functions.items():
                instructions = [instruction for _, instruction in listing]
                what, keys, way = name.split("_", 2)
                rows.append([name_of_compiler, what, keys, way, len(instructions), sum(map(is_comparison, instructions)),
                             sum(map(is_indirect_jump, instructions))])
                if what == "lookup" and way in LIMITS:
                    checks.append((f"{name_of_compiler}: {keys} {way}: at most {LIMITS[way]} instructions",
                                   len(instructions) <= LIMITS[way], str(len(instructions))))
                if name == options.show:
                    print(f"{compiler}: {name}", *instructions, sep="\n    ")
            if options.side_by_side:
                print(side_by_side(name_of_compiler, [(name, functions[name]) for name in options.side_by_side]))
    columns = {"compiler": "", "what": "", "keys": "", "way": "", "instructions": "the ones for a miss included",
               "comparisons": "", "indirect_jumps": ""}
    result = artefact.table("instructions", f"instructions of each lookup, {options.flags}", columns, rows)
    print(artefact.to_text(result))
    for name, is_ok, detail in checks:
        print(f"{'reached' if is_ok else 'missed '}  {name}: {detail}")
    if options.json:
        text = artefact.artefact(root, "tools/lookup_instructions.py", {"flags": options.flags}, [result], checks, "; ".join(versions))
        pathlib.Path(options.json).write_text(text)
    return 0 if all(is_ok for _, is_ok, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
