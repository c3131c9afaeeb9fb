#pragma once

// The engine with the structure of the talk that this room answers: the transitions are objects of different types,
// side by side in one aligned buffer, each at slot x stride, the slot being (key ^ seed) % denominator; what they share
// is a base class generated for the messages they process. Three things are not as they were: the hash is searched
// exhaustively, within the compilers' limits (and another one is taken where there is none within the budget); every
// object knows its key, so an unknown key is the default object's business; a transition has no address of its own to
// overrun. docs/fsm.md has what it costs and gains.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "dojima/fsm/engines/engine.hpp"

namespace dojima::fsm {

namespace detail {

/// Cells that differ from "unknown state, unknown event", which the default object answers.
template <class Table>
struct OwnCells {
  static constexpr std::size_t k_default = Table::chain(Table::k_states, Table::k_events);

  static consteval std::size_t count() {
    std::size_t cells = 0;
    for (std::size_t s = 0; s <= Table::k_states; ++s)
      for (std::size_t e = 0; e <= Table::k_events; ++e) cells += Table::chain(s, e) != k_default ? 1U : 0U;
    return cells;
  }
  static constexpr auto keys = [] {
    std::array<std::uint32_t, count()> result{};
    std::size_t at = 0;
    for (std::size_t s = 0; s <= Table::k_states; ++s)
      for (std::size_t e = 0; e <= Table::k_events; ++e)
        if (Table::chain(s, e) != k_default) result[at++] = static_cast<std::uint32_t>(s * (Table::k_events + 1) + e);
    return result;
  }();
};

/// The base generated for what a transition processes.
template <class Call>
class Processor {
 public:
  explicit Processor(std::uint32_t key) : key_(key) {}
  virtual std::uint16_t process(std::uint16_t& state, Call& call) const = 0;
  [[nodiscard]] std::uint32_t key() const { return key_; }

 protected:
  ~Processor() = default;

 private:
  std::uint32_t key_;
};

template <class Table, std::size_t Chain, class Call>
class Transition final : public Processor<Call> {
 public:
  using Processor<Call>::Processor;
  std::uint16_t process(std::uint16_t& state, Call& call) const override {
    return run_chain<Table, Chain>(state, call);
  }
};

/// All transitions of a table in one buffer.
template <class Table, class Call>
class TransitionTuple {
 public:
  using Cells = OwnCells<Table>;
  using Lookup = KeyLookup<Cells, Ladder<Strategy::xor_modulo, Strategy::multiply_shift, Strategy::two_level>>;

  TransitionTuple() {
    make<Cells::k_default>(k_slots, k_no_key);
    // A free slot holds a transition whose key belongs elsewhere, so it answers no key that leads here.
    for (std::size_t slot = 0; slot < k_slots; ++slot) make<Cells::k_default>(slot, k_no_key);
    [&]<std::size_t... Numbers>(std::index_sequence<Numbers...>) {
      detail::in_order({(make<chain_of(Numbers)>(slot_of_key(Cells::keys[Numbers]), Cells::keys[Numbers]), 0)...});
    }(std::make_index_sequence<Cells::keys.size()>{});
  }

  [[nodiscard]] const Processor<Call>& at(std::uint32_t key) const {
    const Processor<Call>& found = in_slot(slot_of_key(key));
    return found.key() == key ? found : in_slot(k_slots);
  }

 private:
  static constexpr std::uint32_t k_no_key = 0xffff'ffff;
  static constexpr std::size_t k_stride = std::bit_ceil(sizeof(Transition<Table, 0, Call>));
  static constexpr std::size_t k_slots = Lookup::is_hash() ? Lookup::plan().slots : Cells::keys.size();

  static constexpr std::size_t slot_of_key(std::uint32_t key) {
    if constexpr (Lookup::is_hash())
      return Lookup::slot(key);
    else
      return Lookup::index(key);  // without a hash: its number; a miss is the default object's slot
  }
  static consteval std::size_t chain_of(std::size_t number) {
    constexpr std::size_t line = Table::k_events + 1;
    return Table::chain(Cells::keys[number] / line, Cells::keys[number] % line);
  }
  template <std::size_t Chain>
  void make(std::size_t slot, std::uint32_t key) {
    ::new (static_cast<void*>(buffer_ + slot * k_stride)) Transition<Table, Chain, Call>(key);
  }
  [[nodiscard]] const Processor<Call>& in_slot(std::size_t slot) const {
    return *std::launder(reinterpret_cast<const Processor<Call>*>(buffer_ + slot * k_stride));
  }

  alignas(64) std::byte buffer_[(k_slots + 1) * k_stride];
};

template <class Table, class Call>
inline const TransitionTuple<Table, Call> transition_tuple{};

}  // namespace detail

template <class Table>
struct HashedTuple {
  template <class Call>
  static std::uint16_t step(std::uint16_t& state, std::size_t event, Call& call) {
    const auto key = static_cast<std::uint32_t>(state * (Table::k_events + 1) + event);
    return detail::transition_tuple<Table, Call>.at(key).process(state, call);
  }
  template <class Feed>
  static void drain(std::uint16_t& state, Feed& feed) {
    detail::drain_one_by_one<HashedTuple>(state, feed);
  }
};

}  // namespace dojima::fsm
