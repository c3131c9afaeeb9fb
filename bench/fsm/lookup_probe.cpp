// Functions for tools/lookup_instructions.py to look at: every lookup by itself, and what compilers make of a switch
// and of a chain of ifs. Compiled, disassembled, never run.

#include "dispatch.hpp"

namespace dojima::bench {
namespace {

template <class KeySet, fsm::Strategy... Rungs>
using Lookup = fsm::KeyLookup<KeySet, fsm::Ladder<Rungs...>>;

}  // namespace

using fsm::Strategy;

extern "C" {

std::size_t lookup_fix16_direct(std::uint8_t key) {
  return Lookup<FixTypes<16>, Strategy::direct>::index(key);
}
std::size_t lookup_fix16_multiply_shift(std::uint8_t key) {
  return Lookup<FixTypes<16>, Strategy::multiply_shift>::index(key);
}
std::size_t lookup_fix16_two_level(std::uint8_t key) {
  return Lookup<FixTypes<16>, Strategy::two_level>::index(key);
}
std::size_t lookup_fix16_xor_modulo(std::uint8_t key) {
  return Lookup<FixTypes<16>, Strategy::xor_modulo>::index(key);
}
std::size_t lookup_fix16_sorted(std::uint8_t key) {
  return Lookup<FixTypes<16>, Strategy::sorted>::index(key);
}
std::size_t lookup_fix93_two_level(std::uint16_t key) {
  return Lookup<FixTypes<93>, Strategy::two_level>::index(key);
}
std::size_t lookup_fix93_xor_modulo(std::uint16_t key) {
  return fsm::KeyLookup<FixTypes<93>, fsm::XorModuloOf<894, 114>>::index(key);
}
std::size_t lookup_random32_multiply_shift(std::uint32_t key) {
  return Lookup<RandomCodes<32>, Strategy::multiply_shift>::index(key);
}
std::size_t lookup_random64_two_level(std::uint32_t key) {
  return Lookup<RandomCodes<64>, Strategy::two_level>::index(key);
}
std::size_t lookup_random64_sorted(std::uint32_t key) {
  return Lookup<RandomCodes<64>, Strategy::sorted>::index(key);
}
const void* lookup_fix93_gperf(const char* text, std::size_t length) {
  return made_by_gperf::Fix93::find(text, length);
}
const void* lookup_random64_gperf(const char* text, std::size_t length) {
  return made_by_gperf::Random64::find(text, length);
}

// The size of the talk's machines.
void dispatch_fix3_if_else(std::uint8_t key, Session& session) {
  IfElse<FixTypes<3>, Trivial>::one(key, session);
}
void dispatch_fix4_if_else(std::uint8_t key, Session& session) {
  IfElse<FixTypes<4>, Trivial>::one(key, session);
}
void dispatch_fix4_switch(std::uint8_t key, Session& session) {
  Cases<4>::over_keys<FixTypes<4>, Trivial>(key, session);
}
void dispatch_fix4_xor_modulo(std::uint8_t key, Session& session) {
  k_functions<Trivial, 4>[Lookup<FixTypes<4>, Strategy::xor_modulo>::index(key)](session);
}
void dispatch_fix7_if_else(std::uint8_t key, Session& session) {
  IfElse<FixTypes<7>, Trivial>::one(key, session);
}
void dispatch_fix7_switch(std::uint8_t key, Session& session) {
  Cases<7>::over_keys<FixTypes<7>, Trivial>(key, session);
}
void dispatch_fix7_xor_modulo(std::uint8_t key, Session& session) {
  k_functions<Trivial, 7>[Lookup<FixTypes<7>, Strategy::xor_modulo>::index(key)](session);
}
void dispatch_fix16_switch(std::uint8_t key, Session& session) {
  Cases<16>::over_keys<FixTypes<16>, Trivial>(key, session);
}
void dispatch_fix16_if_else(std::uint8_t key, Session& session) {
  IfElse<FixTypes<16>, Trivial>::one(key, session);
}
void dispatch_fix64_switch(std::uint16_t key, Session& session) {
  Cases<64>::over_keys<FixTypes<64>, Trivial>(key, session);
}
void dispatch_random64_switch(std::uint32_t key, Session& session) {
  Cases<64>::over_keys<RandomCodes<64>, Trivial>(key, session);
}
void dispatch_random64_if_else(std::uint32_t key, Session& session) {
  IfElse<RandomCodes<64>, Trivial>::one(key, session);
}

}  // extern "C"

}  // namespace dojima::bench
