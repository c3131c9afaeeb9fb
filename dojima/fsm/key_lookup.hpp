#pragma once

// From a key that is known when the program is compiled to its number 0 .. n-1, checked: any other value is the miss n.
// The compiler searches the perfect hash; nothing is raised, no flag is needed, and no key set can fail to compile.
//
//   struct Types { static constexpr std::array keys{'D', 'F', 'G'}; };
//   using Lookup = fsm::KeyLookup<Types>;
//   Lookup::index('F') == 1;   Lookup::index('x') == Lookup::k_miss;   Lookup::plan().strategy == Strategy::consecutive
//
// A lookup is O(1), reads one or two cache lines and compares the key it finds, so an unknown key is an answer and
// never undefined behaviour. The order of `keys` decides the numbers; a key that occurs twice does not compile.
// Which rungs are tried, and in which order, is a template argument; `sorted` always comes after them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "dojima/fsm/perfect_hash.hpp"

namespace dojima::fsm {

/// Rungs in the order in which they are tried.
template <Strategy... Rungs>
struct Ladder {};

using Automatic = Ladder<Strategy::consecutive, Strategy::direct, Strategy::multiply_shift, Strategy::two_level>;

/// (key ^ Seed) % Denominator as found by `dojima fsm search`; the compiler only checks it. A pair that is not perfect
/// does not compile.
template <std::uint64_t Seed, std::uint64_t Denominator>
struct XorModuloOf {};

namespace detail {

/// Type of the number that is stored: small tables stay in few cache lines.
template <std::size_t Highest>
using Narrowest =
    std::conditional_t<(Highest <= 0xff), std::uint8_t,
                       std::conditional_t<(Highest <= 0xffff), std::uint16_t,
                                          std::conditional_t<(Highest <= 0xffff'ffff), std::uint32_t, std::uint64_t>>>;

template <class KeySet>
inline constexpr std::size_t k_key_count = std::size(KeySet::keys);

template <class KeySet>
using KeyOf = std::remove_cvref_t<decltype(KeySet::keys[0])>;

template <class KeySet>
inline constexpr auto codes = [] {
  std::array<std::uint64_t, k_key_count<KeySet>> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = code_of(KeySet::keys[i]);
  return result;
}();

/// The numbers of keys [Begin, End), least code first. A merge sort in which every stretch is a constant of its own:
/// compilers limit the work for one constant, not their number. Plain numbers, because g++ pays dearly for records
/// here.
template <class KeySet, std::size_t Begin, std::size_t End>
inline constexpr auto sorted_range = [] {
  constexpr std::size_t size = End - Begin;
  std::array<std::uint16_t, size> result{};
  std::array<std::uint16_t, size> other{};
  for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<std::uint16_t>(Begin + i);
  const auto merge = [](const auto& from, auto& to, std::size_t begin, std::size_t middle, std::size_t end) {
    std::size_t low = begin;
    std::size_t high = middle;
    for (std::size_t at = begin; at < end; ++at)
      to[at] = high == end || (low < middle && codes<KeySet>[from[low]] <= codes<KeySet>[from[high]]) ? from[low++]
                                                                                                      : from[high++];
  };
  if constexpr (size <= 1024) {
    for (std::size_t run = 1; run < size; run *= 2) {
      for (std::size_t begin = 0; begin < size; begin += 2 * run)
        merge(result, other, begin, std::min(begin + run, size), std::min(begin + 2 * run, size));
      result = other;
    }
    return result;
  } else {
    constexpr std::size_t middle = size / 2;
    for (std::size_t i = 0; i < size; ++i)
      other[i] = i < middle ? sorted_range<KeySet, Begin, Begin + middle>[i]
                            : sorted_range<KeySet, Begin + middle, End>[i - middle];
    merge(other, result, 0, middle, size);
    return result;
  }
}();

/// Numbers of all keys, least code first.
template <class KeySet>
inline constexpr auto& sorted_order = sorted_range<KeySet, 0, k_key_count<KeySet>>;

template <class KeySet>
constexpr std::uint64_t sorted_code(std::size_t rank) {
  return codes<KeySet>[sorted_order<KeySet>[rank]];
}

template <class KeySet>
inline constexpr bool has_duplicate = [] {
  for (std::size_t i = 1; i < k_key_count<KeySet>; ++i)
    if (sorted_code<KeySet>(i - 1) == sorted_code<KeySet>(i)) return true;
  return false;
}();

// Each rung's search is a constant of its own, for the same reason.

template <class KeySet>
inline constexpr HashPlan direct_plan = [] {
  constexpr std::size_t n = k_key_count<KeySet>;
  HashPlan plan = n == 0 ? plan_direct(0, 0, 0) : plan_direct(n, sorted_code<KeySet>(0), sorted_code<KeySet>(n - 1));
  // Every value of a one-byte key has its own slot, so that no bound needs checking.
  if (sizeof(KeyOf<KeySet>) == 1 && plan.strategy == Strategy::direct) {
    plan.is_found = true;
    plan.slots = 256;
    plan.seed = 0;
  }
  return plan;
}();

template <class KeySet, unsigned Bits>
inline constexpr HashPlan multiply_plan = [] {
  std::array<std::uint16_t, std::size_t{1} << Bits> stamps{};
  return plan_multiply_shift(codes<KeySet>, Bits, k_multiply_tries, stamps);
}();

template <class KeySet, unsigned Bits = bits_for(k_key_count<KeySet>) == 0 ? 1U : bits_for(k_key_count<KeySet>)>
consteval HashPlan smallest_multiply_plan() {
  constexpr std::size_t n = k_key_count<KeySet>;
  if constexpr (n == 0 || n > k_multiply_keys_max || (n > 1 && (std::size_t{1} << Bits) > 4 * n)) {
    return {.strategy = Strategy::multiply_shift};
  } else if constexpr (multiply_plan<KeySet, Bits>.is_found) {
    return multiply_plan<KeySet, Bits>;
  } else {
    return smallest_multiply_plan<KeySet, Bits + 1>();
  }
}

template <class KeySet>
struct TwoLevelFound {
  static constexpr std::size_t n = k_key_count<KeySet>;
  HashPlan plan{.strategy = Strategy::two_level};
  std::array<std::uint16_t, std::size_t{1} << two_level_bucket_bits(n)> displacements{};
};

/// One constant per multiplier would be safest, but the first one nearly always does; eight fit the budget up to 2,048
/// keys.
template <class KeySet>
inline constexpr TwoLevelFound<KeySet> two_level_found = [] {
  constexpr std::size_t n = k_key_count<KeySet>;
  TwoLevelFound<KeySet> found;
  if constexpr (n > 0 && n <= 2048) {
    std::array<std::uint32_t, std::tuple_size_v<decltype(found.displacements)> + 1> bucket_begin{};
    std::array<std::uint32_t, n> slots{};
    std::array<std::uint16_t, std::size_t{1} << two_level_slot_bits(n)> stamps{};
    constexpr std::uint32_t multipliers = n <= 256 ? 32 : 4;
    found.plan = plan_two_level(codes<KeySet>, multipliers, {bucket_begin, slots, stamps}, found.displacements);
  }
  return found;
}();

inline constexpr std::uint64_t k_xor_denominator_end = 513;
inline constexpr std::uint64_t k_xor_probes = 50'000;
inline constexpr unsigned k_xor_stretches = 8;

/// The exhaustive search in stretches, each a constant with a budget of its own.
template <class KeySet, unsigned Stretch>
inline constexpr XorModuloPosition xor_position = [] {
  constexpr std::size_t n = k_key_count<KeySet>;
  XorModuloPosition from{.denominator = n};
  if constexpr (Stretch > 0) from = xor_position<KeySet, Stretch - 1>;
  std::array<std::uint32_t, k_xor_denominator_end> stamps{};
  return search_xor_modulo(codes<KeySet>, from, xor_modulo_seeds(sorted_code<KeySet>(n - 1)), k_xor_denominator_end,
                           k_xor_probes, stamps);
}();

template <class KeySet, unsigned Stretch = 0>
consteval HashPlan xor_plan() {
  if constexpr (k_key_count<KeySet> == 0 || k_key_count<KeySet> > 64 || Stretch == k_xor_stretches) {
    return {.strategy = Strategy::xor_modulo};
  } else if constexpr (xor_position<KeySet, Stretch>.is_found) {
    return plan_xor_modulo(k_key_count<KeySet>, xor_position<KeySet, Stretch>);
  } else {
    return xor_plan<KeySet, Stretch + 1>();
  }
}

template <class KeySet, Strategy Rung>
consteval HashPlan plan_of_rung() {
  if constexpr (Rung == Strategy::consecutive || Rung == Strategy::direct) {
    HashPlan plan = direct_plan<KeySet>;
    plan.is_found = plan.is_found && (plan.strategy == Rung || Rung == Strategy::direct);
    plan.strategy = Rung;
    return plan;
  } else if constexpr (Rung == Strategy::multiply_shift) {
    return smallest_multiply_plan<KeySet>();
  } else if constexpr (Rung == Strategy::two_level) {
    return two_level_found<KeySet>.plan;
  } else if constexpr (Rung == Strategy::xor_modulo) {
    return xor_plan<KeySet>();
  } else {
    return plan_sorted(k_key_count<KeySet>);
  }
}

template <class KeySet, class Rungs>
struct Chosen;

template <class KeySet>
struct Chosen<KeySet, Ladder<>> {
  static constexpr HashPlan plan = plan_sorted(k_key_count<KeySet>);
};

template <class KeySet, Strategy First, Strategy... Rest>
struct Chosen<KeySet, Ladder<First, Rest...>> {
  static consteval HashPlan choose() {
    constexpr HashPlan first = plan_of_rung<KeySet, First>();
    if constexpr (first.is_found)
      return first;
    else
      return Chosen<KeySet, Ladder<Rest...>>::plan;
  }
  static constexpr HashPlan plan = choose();
};

template <class KeySet, std::uint64_t Seed, std::uint64_t Denominator>
struct Chosen<KeySet, XorModuloOf<Seed, Denominator>> {
  static consteval HashPlan choose() {
    std::array<std::uint8_t, Denominator> stamps{};
    std::uint64_t probes = 0;
    XorModuloPosition at{.denominator = Denominator, .seed = Seed, .tries = 1};
    at.is_found = is_perfect_xor_modulo<std::uint8_t>(codes<KeySet>, Seed, Denominator, stamps, 1, probes);
    HashPlan found = plan_xor_modulo(k_key_count<KeySet>, at);
    found.is_exhaustive = false;  // the search knew; here it is only checked
    return found;
  }
  static constexpr HashPlan plan = choose();
  static_assert(plan.is_found, "(key ^ Seed) % Denominator has a collision over these keys");
};

/// What a slot holds. A free slot repeats the key of another slot, which no lookup that ends here can equal.
template <class Stored, class Index>
struct KeySlot {
  Stored key;
  Index index;
};

}  // namespace detail

template <class KeySet, class Rungs = Automatic>
class KeyLookup {
 public:
  using Key = detail::KeyOf<KeySet>;
  static constexpr std::size_t k_size = detail::k_key_count<KeySet>;
  /// What `index` gives for a key that is not in the set.
  static constexpr std::size_t k_miss = k_size;

  static_assert(k_size <= k_keys_max, "a key set has at most 65,534 keys");
  static_assert(!detail::has_duplicate<KeySet>, "a key is in the set twice");

  [[nodiscard]] static constexpr const HashPlan& plan() noexcept { return k_plan; }
  [[nodiscard]] static constexpr bool is_hash() noexcept {
    const Strategy strategy = detail::Chosen<KeySet, Rungs>::plan.strategy;
    return strategy == Strategy::multiply_shift || strategy == Strategy::two_level || strategy == Strategy::xor_modulo;
  }

  /// The number of `key`, or k_miss. O(1), or O(log n) where plan() says `sorted`; never reads out of bounds.
  [[nodiscard]] static constexpr std::size_t index(Key key) noexcept {
    const std::uint64_t code = code_of(key);
    if constexpr (k_plan.strategy == Strategy::consecutive) {
      if constexpr (k_size == 0) return k_miss;
      const std::uint64_t at = code - k_plan.seed;
      if constexpr (k_keys_in_order)
        return at < k_size ? static_cast<std::size_t>(at) : k_miss;
      else
        return at < k_size ? k_indexes[static_cast<std::size_t>(at)] : k_miss;
    } else if constexpr (k_plan.strategy == Strategy::direct) {
      if constexpr (sizeof(Key) == 1 && k_plan.slots == 256) return k_indexes[static_cast<std::size_t>(code)];
      const std::uint64_t at = code - k_plan.seed;
      return at < k_plan.slots ? k_indexes[static_cast<std::size_t>(at)] : k_miss;
    } else if constexpr (k_plan.strategy == Strategy::sorted) {
      const std::size_t at = find_sorted(k_sorted.data(), k_size, code);
      return at == k_size ? k_miss : k_indexes[at];
    } else {
      const auto& slot = k_slots[slot_at(code)];
      // A branch that is nearly always predicted, not a conditional move that all that follows would wait for.
      if (static_cast<std::uint64_t>(slot.key) == code) [[likely]]
        return slot.index;
      return k_miss;
    }
  }

  /// Where `key` would be in a table of plan().slots entries, for tables that callers lay out themselves; every
  /// value of the key has a slot, so the entry must be checked. For hashes only.
  [[nodiscard]] static constexpr std::size_t slot(Key key) noexcept
    requires(is_hash())
  {
    return slot_at(code_of(key));
  }

  [[nodiscard]] static constexpr bool contains(Key key) noexcept { return index(key) != k_miss; }
  /// The key with this number; `index` < k_size.
  [[nodiscard]] static constexpr Key key(std::size_t index) noexcept { return KeySet::keys[index]; }

 private:
  using Index = detail::Narrowest<k_size>;
  static constexpr std::uint64_t highest_code() noexcept {
    if constexpr (k_size == 0)
      return 0;
    else
      return detail::sorted_code<KeySet>(k_size - 1);
  }
  using Stored = detail::Narrowest<highest_code()>;

  static constexpr HashPlan k_plan = detail::Chosen<KeySet, Rungs>::plan;

  static constexpr std::size_t slot_at(std::uint64_t code) noexcept {
    if constexpr (k_plan.strategy == Strategy::multiply_shift) {
      return static_cast<std::size_t>((code * k_plan.seed) >> k_plan.shift);
    } else if constexpr (k_plan.strategy == Strategy::two_level) {
      const std::uint64_t product = code * k_plan.seed;
      constexpr unsigned slot_bits = two_level_slot_bits(k_size);
      return two_level_slot(product, two_level_bucket_bits(k_size), slot_bits) ^
             k_displacements[static_cast<std::size_t>(product >> k_plan.shift)];
    } else {
      // In 32 bits where key and seed fit: half the price of the division's multiplications.
      using Word = std::conditional_t<(sizeof(Key) <= 4 && k_plan.seed <= 0xffff'ffff), std::uint32_t, std::uint64_t>;
      return static_cast<std::size_t>((static_cast<Word>(code) ^ static_cast<Word>(k_plan.seed)) %
                                      static_cast<Word>(k_plan.denominator));
    }
  }

  static constexpr bool k_keys_in_order = [] {
    for (std::size_t i = 0; i < k_size; ++i)
      if (detail::sorted_order<KeySet>[i] != i) return false;
    return true;
  }();

  static constexpr auto k_displacements = [] {
    if constexpr (k_plan.strategy == Strategy::two_level) {
      const auto& found = detail::two_level_found<KeySet>.displacements;
      using Displacement = detail::Narrowest<k_plan.slots - 1>;
      std::array<Displacement, std::tuple_size_v<std::remove_cvref_t<decltype(found)>>> result{};
      for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<Displacement>(found[i]);
      return result;
    } else {
      return std::array<std::uint8_t, 1>{};
    }
  }();

  /// consecutive, direct: from code - seed to the number; sorted: from rank to the number.
  static constexpr auto k_indexes = [] {
    constexpr bool is_sorted = k_plan.strategy == Strategy::sorted;
    constexpr bool is_table = k_plan.strategy == Strategy::consecutive || k_plan.strategy == Strategy::direct;
    std::array<Index, is_sorted ? k_size : (is_table ? k_plan.slots : 0)> result{};
    for (Index& index : result) index = static_cast<Index>(k_miss);
    if constexpr (is_sorted) {
      for (std::size_t i = 0; i < k_size; ++i) result[i] = static_cast<Index>(detail::sorted_order<KeySet>[i]);
    } else if constexpr (is_table) {
      for (std::size_t i = 0; i < k_size; ++i)
        result[static_cast<std::size_t>(detail::codes<KeySet>[i] - k_plan.seed)] = static_cast<Index>(i);
    }
    return result;
  }();

  static constexpr auto k_sorted = [] {
    std::array<Stored, k_plan.strategy == Strategy::sorted ? k_size : 0> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<Stored>(detail::sorted_code<KeySet>(i));
    return result;
  }();

  static constexpr auto k_slots = [] {
    // Beside a key of one byte an index of two: of two bytes in one register clang makes an instruction more.
    using SlotIndex = std::conditional_t<sizeof(Stored) == 1 && sizeof(Index) == 1, std::uint16_t, Index>;
    std::array<detail::KeySlot<Stored, SlotIndex>, is_hash() ? k_plan.slots : 0> result{};
    if constexpr (is_hash()) {
      for (auto& slot : result) slot = {static_cast<Stored>(detail::codes<KeySet>[0]), 0};
      for (std::size_t i = 0; i < k_size; ++i)
        result[slot_at(detail::codes<KeySet>[i])] = {static_cast<Stored>(detail::codes<KeySet>[i]),
                                                     static_cast<SlotIndex>(i)};
    }
    return result;
  }();
};

}  // namespace dojima::fsm
