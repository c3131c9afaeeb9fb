#!/usr/bin/env python3
"""Holds what headers use of the standard library against what they include.

A header under dojima/ that names std::X includes a standard header that the standard says declares X, itself or by a header of
ours that it includes, however far away. So each compiles alone as far as the standard library is concerned, with any of its
implementations; the target headers_alone, which shows the rest with a compiler, may therefore take standard headers from a
precompiled one, which it could not do without this.

Each violation is printed as `file:line: what is wrong`; a name that the table below lacks is one. Exit status 0 when there is
none, 1 when there are some. --self-test plants violations and looks for them.
"""

import argparse
import pathlib
import re
import sys
import tempfile

# Standard header: the names it declares, as far as ours use them. Names that several declare are listed with each.
DECLARES = {
    "algorithm": "all_of any_of clamp copy copy_n count count_if equal fill fill_n find find_if for_each lower_bound make_heap max"
                 " max_element min min_element minmax none_of nth_element partition pop_heap push_heap remove remove_if reverse rotate"
                 " sort stable_sort unique upper_bound binary_search transform",
    "array": "array to_array get size begin end data tuple_size tuple_size_v tuple_element_t",
    "atomic": "atomic atomic_ref atomic_bool atomic_flag memory_order memory_order_relaxed memory_order_acquire memory_order_release"
              " memory_order_acq_rel memory_order_seq_cst atomic_signal_fence atomic_thread_fence",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero endian has_single_bit popcount rotl rotr byteswap",
    "bitset": "bitset",
    "charconv": "from_chars to_chars chars_format from_chars_result to_chars_result",
    "cmath": "abs ceil cos exp fabs floor isfinite isinf isnan llround log log1p expm1 lround pow round sin sqrt",
    "compare": "strong_ordering weak_ordering partial_ordering",
    "concepts": "same_as convertible_to integral signed_integral unsigned_integral floating_point invocable predicate derived_from"
                " constructible_from default_initializable copyable regular swappable",
    "condition_variable": "condition_variable condition_variable_any",
    "coroutine": "coroutine_handle suspend_always suspend_never",
    "cstddef": "size_t ptrdiff_t nullptr_t max_align_t byte to_integer",
    "cstdint": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t",
    "cstdio": "FILE fclose fflush fopen fprintf fputs fwrite printf rename snprintf size_t",
    "cstdlib": "abort calloc exit free getenv size_t",
    "cstring": "memchr memcmp memcpy memmove memset strcmp strlen size_t",
    "ctime": "time_t tm timespec size_t",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr rethrow_exception terminate",
    "expected": "expected unexpected unexpect",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream fstream",
    "functional": "function greater hash invoke less plus bit_or equal_to reference_wrapper ref cref move_only_function identity",
    "future": "future promise",
    "initializer_list": "initializer_list",
    "istream": "istream",
    "iosfwd": "istream ostream",
    "iterator": "back_inserter begin end bidirectional_iterator bidirectional_iterator_tag distance forward_iterator"
                " forward_iterator_tag input_iterator_tag iter_difference_t iterator_traits make_move_iterator next prev"
                " random_access_iterator random_access_iterator_tag size ssize data default_sentinel_t default_sentinel"
                " contiguous_iterator input_or_output_iterator sentinel_for",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap size begin end",
    "memory": "allocator allocator_traits construct_at destroy destroy_at destroy_n make_shared make_unique"
              " make_unique_for_overwrite shared_ptr to_address uninitialized_value_construct_n uninitialized_default_construct_n"
              " unique_ptr weak_ptr enable_shared_from_this addressof assume_aligned default_delete start_lifetime_as",
    "memory_resource": "pmr",
    "mutex": "lock_guard mutex once_flag call_once recursive_mutex scoped_lock unique_lock",
    "new": "align_val_t bad_alloc launder nothrow hardware_destructive_interference_size",
    "numbers": "numbers",
    "numeric": "accumulate gcd lcm iota midpoint",
    "optional": "optional nullopt nullopt_t in_place make_optional",
    "ostream": "ostream",
    "queue": "queue priority_queue",
    "random": "mt19937_64",
    "ratio": "ratio milli micro nano",
    "semaphore": "binary_semaphore counting_semaphore",
    "set": "set multiset",
    "shared_mutex": "shared_mutex shared_lock",
    "source_location": "source_location",
    "span": "span as_bytes as_writable_bytes dynamic_extent size",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error length_error",
    "stop_token": "stop_source stop_token stop_callback",
    "string": "string to_string stoi stol stoul basic_string char_traits getline u8string size begin end",
    "string_view": "string_view basic_string_view size",
    "system_error": "errc error_code error_condition system_category system_error generic_category make_error_code",
    "thread": "jthread thread this_thread stop_token stop_source",
    "tuple": "tuple tuple_cat tuple_element tuple_element_t tuple_size tuple_size_v apply get forward_as_tuple make_tuple tie ignore",
    "type_traits": "add_const_t common_type_t conditional_t conjunction_v decay_t disjunction_v enable_if_t false_type"
                   " has_unique_object_representations_v integral_constant invoke_result_t is_arithmetic_v is_base_of_v is_const_v"
                   " is_constructible_v is_convertible_v is_copy_constructible_v is_default_constructible_v is_empty_v is_enum_v"
                   " is_floating_point_v is_function_v is_integral_v is_invocable_r_v is_invocable_v is_lvalue_reference_v"
                   " is_member_function_pointer_v is_member_object_pointer_v is_nothrow_constructible_v is_nothrow_invocable_v"
                   " is_nothrow_move_assignable_v is_nothrow_move_constructible_v is_null_pointer_v is_pointer_v is_reference_v"
                   " is_same_v is_scoped_enum_v is_signed_v is_standard_layout_v is_trivially_copyable_v is_trivially_destructible_v"
                   " is_unsigned_v is_void_v make_signed_t make_unsigned_t remove_const_t remove_cv_t remove_cvref_t"
                   " remove_pointer_t remove_reference_t true_type type_identity type_identity_t underlying_type_t void_t"
                   " is_constant_evaluated bool_constant is_same is_aggregate_v aligned_storage_t is_class_v is_array_v extent_v"
                   " is_abstract_v is_final_v is_polymorphic_v is_object_v rank_v",
    "typeindex": "type_index",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "as_const cmp_equal cmp_greater cmp_less cmp_less_equal cmp_greater_equal declval exchange forward forward_like get"
               " in_place in_place_t in_place_type in_range index_sequence index_sequence_for integer_sequence"
               " make_index_sequence make_integer_sequence make_pair move move_if_noexcept pair piecewise_construct swap to_underlying"
               " unreachable tuple_element_t tuple_size_v",
    "valarray": "valarray",
    "variant": "get_if holds_alternative monostate variant variant_alternative_t variant_size_v visit get bad_variant_access",
    "vector": "vector",
    "chrono": "chrono",
    "ranges": "ranges views",
    "complex": "complex",
    "format": "format",
    "print": "print",
    "latch": "latch",
    "barrier": "barrier",
}
# Names that any container's header declares as well.
CONTAINERS = "array deque list map set span string string_view unordered_map unordered_set vector".split()
ANY_CONTAINER = "size ssize begin end data empty erase erase_if".split()
# std::ranges::NAME of these is an algorithm; the rest is of <ranges> (or of <iterator>).
RANGES = {"ranges": ("ranges", "iterator", "algorithm", "functional", "memory")}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
NAME = re.compile(r"\bstd::(?:experimental::)?([a-z_][a-z_0-9]*)")


def tables():
    """{name: headers that declare it}."""
    result = {}
    for header, names in DECLARES.items():
        for name in names.split():
            result.setdefault(name, set()).add(header)
    for name in ANY_CONTAINER:
        result.setdefault(name, set()).update(CONTAINERS, ("iterator",))
    for name, headers in RANGES.items():
        result.setdefault(name, set()).update(headers)
    return result


def without_comments(text):
    """The text with comments and the contents of strings gone, line by line as before."""
    def keep_lines(match):
        return '""' if match.group(0).startswith('"') else "\n" * match.group(0).count("\n")
    return re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', keep_lines, text, flags=re.DOTALL)


class Headers:
    """Reads each header once: what it includes and what it names."""

    def __init__(self, root):
        self.root = root
        self.read = {}
        self.closed = {}

    def look(self, path):
        if path not in self.read:
            text = (self.root / path).read_text()
            standard, ours = set(), []
            for line in text.splitlines():
                found = INCLUDE.match(line)
                if found and found.group(1) == "<":
                    standard.add(found.group(2))
                elif found:
                    ours.append(found.group(2))
            names = {}
            for number, line in enumerate(without_comments(text).splitlines(), 1):
                if not INCLUDE.match(line):
                    for name in NAME.findall(line):
                        names.setdefault(name, number)
            self.read[path] = (standard, ours, names)
        return self.read[path]

    def reachable(self, path):
        """Standard headers that `path` includes, itself or by others of ours."""
        if path not in self.closed:
            seen, todo, result = {path}, [path], set()
            while todo:
                standard, ours, _ = self.look(todo.pop())
                result |= standard
                for other in ours:
                    if other not in seen and (self.root / other).is_file():
                        seen.add(other)
                        todo.append(other)
            self.closed[path] = result
        return self.closed[path]


def violations(root):
    known = tables()
    headers = Headers(root)
    for path in sorted(p.relative_to(root).as_posix() for p in (root / "dojima").rglob("*.hpp")):
        if "_test" in path:
            continue
        reachable = headers.reachable(path)
        for name, line in sorted(headers.look(path)[2].items(), key=lambda item: item[1]):
            if name not in known:
                yield f"{path}:{line}: std::{name} is in no row of tests/house/std_includes.py: say there which header declares it"
            elif not known[name] & reachable:
                yield f"{path}:{line}: names std::{name} without <{'>, <'.join(sorted(known[name]))}>"


PLANTED = {
    "good.hpp": "#pragma once\n#include <vector>\n// std::map is only spoken of\nstd::vector<int> v();\n",
    "far.hpp": '#pragma once\n#include "dojima/good.hpp"\ninline auto w() { return std::vector<int>{}; }\n',
    "bad.hpp": "#pragma once\n#include <vector>\nstd::vector<std::string> v();\n",
    "unknown.hpp": "#pragma once\nstd::hitherto_unknown v();\n",
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "dojima").mkdir()
        for name, text in PLANTED.items():
            (root / "dojima" / name).write_text(text)
        found = list(violations(root))
    wanted = ["dojima/bad.hpp:3: names std::string", "dojima/unknown.hpp:2: std::hitherto_unknown"]
    if len(found) != len(wanted) or not all(line.startswith(start) for line, start in zip(found, wanted)):
        print("planted violations were not found as they should be:", *found, sep="\n  ")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    found = list(violations(arguments.root))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
