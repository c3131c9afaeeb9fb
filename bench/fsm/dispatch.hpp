#pragma once

// Ways to get from a code to its body. Each is a template over the keys and the body, with one function: `run`, all
// events of a stream in order, event i for session i modulo k_sessions.

#include "gperf_sets.hpp"
#include "keys.hpp"
#include "work.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dojima/fsm/engines/engine_goto.hpp"
#include "dojima/fsm/engines/engine_tail.hpp"
#include "dojima/fsm/engines/engine_tuple.hpp"
#include "dojima/fsm/key_lookup.hpp"
#include "dojima/fsm/machine.hpp"
#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench {

// ------------------------------------------------------------------------------------------------ by the language
// alone

// The numbers below 4, 7, 16 ... as a switch needs them: written out.
// clang-format off
#define DOJIMA_BENCH_4(X) X(0) X(1) X(2) X(3)
#define DOJIMA_BENCH_7(X) DOJIMA_BENCH_4(X) X(4) X(5) X(6)
#define DOJIMA_BENCH_16(X) DOJIMA_BENCH_7(X) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define DOJIMA_BENCH_32(X) DOJIMA_BENCH_16(X) \
  X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define DOJIMA_BENCH_64(X) DOJIMA_BENCH_32(X) \
  X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) X(45) X(46) X(47) \
  X(48) X(49) X(50) X(51) X(52) X(53) X(54) X(55) X(56) X(57) X(58) X(59) X(60) X(61) X(62) X(63)
#define DOJIMA_BENCH_93(X) DOJIMA_BENCH_64(X) \
  X(64) X(65) X(66) X(67) X(68) X(69) X(70) X(71) X(72) X(73) X(74) X(75) X(76) X(77) X(78) X(79) \
  X(80) X(81) X(82) X(83) X(84) X(85) X(86) X(87) X(88) X(89) X(90) X(91) X(92)
// clang-format on

template <std::size_t Count>
struct Cases;

#define DOJIMA_BENCH_KEY_CASE(n) \
  case KeySet::keys[n]:          \
    return Body::template run<n>(session);
#define DOJIMA_BENCH_NUMBER_CASE(n) \
  case n:                           \
    return Body::template run<n>(session);
#define DOJIMA_BENCH_CASES(count)                                                                        \
  template <>                                                                                            \
  struct Cases<count> {                                                                                  \
    template <class KeySet, class Body>                                                                  \
    [[gnu::always_inline]] static void over_keys(typename KeySet::Key key, Session& session) {           \
      switch (key) { DOJIMA_BENCH_##count(DOJIMA_BENCH_KEY_CASE) default : return miss(session); }       \
    }                                                                                                    \
    template <class Body>                                                                                \
    [[gnu::always_inline]] static void over_numbers(std::size_t number, Session& session) {              \
      switch (number) { DOJIMA_BENCH_##count(DOJIMA_BENCH_NUMBER_CASE) default : return miss(session); } \
    }                                                                                                    \
  };
DOJIMA_BENCH_CASES(4)
DOJIMA_BENCH_CASES(7)
DOJIMA_BENCH_CASES(16)
DOJIMA_BENCH_CASES(32)
DOJIMA_BENCH_CASES(64)
DOJIMA_BENCH_CASES(93)

template <class KeySet>
inline constexpr std::size_t k_count = std::size(KeySet::keys);

/// What all competitors of a case are given: the codes, and the same as text for those that read text.
template <class KeySet>
struct Input {
  explicit Input(const std::vector<std::uint16_t>& numbers) {
    using Key = typename KeySet::Key;
    for (const std::uint16_t number : numbers) {
      const Key key = KeySet::keys[number];
      codes.push_back(key);
      Text& text = texts.emplace_back();
      constexpr bool is_fix = sizeof(Key) <= 2;
      for (unsigned at = 0; at < sizeof(Key); ++at) {
        const auto byte = static_cast<char>(key >> 8U * (sizeof(Key) - 1 - at) & 0xffU);
        if (!is_fix || byte != 0) text.characters[text.length++] = byte;
      }
    }
  }

  struct Text {
    std::array<char, 7> characters{};
    std::uint8_t length = 0;
  };
  std::vector<typename KeySet::Key> codes;
  std::vector<Text> texts;
};

template <class KeySet, class One>
[[gnu::always_inline]] inline void each(const Input<KeySet>& input, Sessions& sessions, One one) {
  const auto* const codes = input.codes.data();
  for (std::size_t at = 0; at < k_events; ++at) one(codes[at], sessions[at % k_sessions]);
}

template <class KeySet, class Body>
struct IfElse {
  [[gnu::always_inline]] static void one(typename KeySet::Key key, Session& session) {
    [&]<std::size_t... Numbers>(std::index_sequence<Numbers...>) __attribute__((always_inline)) {
      const bool is_known =
          ((key == KeySet::keys[Numbers] ? (Body::template run<Numbers>(session), true) : false) || ...);
      if (!is_known) miss(session);
    }(std::make_index_sequence<k_count<KeySet>>{});
  }
  void run(const Input<KeySet>& input, Sessions& sessions) {
    each(input, sessions, [](auto key, Session& session) { one(key, session); });
  }
};

template <class KeySet, class Body>
struct Switch {
  void run(const Input<KeySet>& input, Sessions& sessions) {
    each(input, sessions,
         [](auto key, Session& session) { Cases<k_count<KeySet>>::template over_keys<KeySet, Body>(key, session); });
  }
};

// --------------------------------------------------------------------------------------- a lookup, then what comes
// next

template <class Body>
using Function = void (*)(Session&);

template <class Body, std::size_t Number>
void call_body(Session& session) {
  Body::template run<Number>(session);
}

/// The bodies in order, and what a miss does after them.
template <class Body, std::size_t Count>
inline constexpr auto k_functions = []<std::size_t... Numbers>(std::index_sequence<Numbers...>) {
  return std::array<Function<Body>, Count + 1>{&call_body<Body, Numbers>..., &miss};
}(std::make_index_sequence<Count>{});

/// A lookup and a switch over the number.
template <class Rungs>
struct Hashed {
  template <class KeySet, class Body>
  struct Way {
    void run(const Input<KeySet>& input, Sessions& sessions) {
      each(input, sessions, [](auto key, Session& session) {
        Cases<k_count<KeySet>>::template over_numbers<Body>(fsm::KeyLookup<KeySet, Rungs>::index(key), session);
      });
    }
  };
};

/// The default lookup and a table of functions; behind a hash, the functions are in its slots, beside their keys.
template <class KeySet, class Body>
struct HashAndFunctions {
  using Lookup = fsm::KeyLookup<KeySet>;

  void run(const Input<KeySet>& input, Sessions& sessions) {
    each(input, sessions, [](auto key, Session& session) {
      if constexpr (Lookup::is_hash()) {
        const Slot& slot = k_slots[Lookup::slot(key)];
        if (slot.key == key) [[likely]]
          return slot.function(session);
        return miss(session);
      } else {
        return k_functions<Body, k_count<KeySet>>[Lookup::index(key)](session);
      }
    });
  }

 private:
  struct Slot {
    typename KeySet::Key key;
    Function<Body> function;
  };
  static constexpr auto k_slots = [] {
    std::array<Slot, Lookup::is_hash() ? Lookup::plan().slots : 0> slots{};
    if constexpr (Lookup::is_hash()) {
      // A free slot repeats a key that belongs elsewhere.
      for (Slot& slot : slots) slot = {KeySet::keys[0], &miss};
      for (std::size_t number = 0; number < k_count<KeySet>; ++number)
        slots[Lookup::slot(KeySet::keys[number])] = {KeySet::keys[number], k_functions<Body, k_count<KeySet>>[number]};
    }
    return slots;
  }();
};

template <class KeySet, class Body>
class UnorderedMap {
 public:
  UnorderedMap() {
    for (std::size_t number = 0; number < k_count<KeySet>; ++number)
      map_.emplace(KeySet::keys[number], k_functions<Body, k_count<KeySet>>[number]);
  }
  void run(const Input<KeySet>& input, Sessions& sessions) {
    each(input, sessions, [this](auto key, Session& session) {
      const auto found = map_.find(key);
      if (found == map_.end())
        miss(session);
      else
        found->second(session);
    });
  }

 private:
  std::unordered_map<typename KeySet::Key, Function<Body>> map_;
};

/// Reads the code's text, as a parser would hand it over; then a switch over the number.
template <class Made>
struct Gperf {
  template <class KeySet, class Body>
  struct Way {
    void run(const Input<KeySet>& input, Sessions& sessions) {
      const auto* const texts = input.texts.data();
      for (std::size_t at = 0; at < k_events; ++at) {
        const auto* const found = Made::find(texts[at].characters.data(), texts[at].length);
        Session& session = sessions[at % k_sessions];
        Cases<k_count<KeySet>>::template over_numbers<Body>(found == nullptr ? k_count<KeySet> : found->number,
                                                            session);
      }
    }
  };
};

// ------------------------------------------------------------------------------------- machines with one state:
// handlers

template <class KeySet, class Body>
struct Handlers {
  enum class State : std::uint8_t { only };
  using Event = typename KeySet::Key;
  static constexpr State initial = State::only;
  template <class Numbers>
  struct MakeRows;
  template <std::size_t... Numbers>
  struct MakeRows<std::index_sequence<Numbers...>> {
    using type =
        fsm::Rows<fsm::Row<fsm::match_all, KeySet::keys[Numbers], fsm::keep_state, &call_body<Body, Numbers>>...,
                  fsm::Row<fsm::match_all, fsm::match_all, fsm::keep_state, &miss>>;
  };
  using rows = typename MakeRows<std::make_index_sequence<k_count<KeySet>>>::type;
};

/// One machine a session, as a program has them.
template <template <class> class Engine>
struct OfMachine {
  template <class KeySet, class Body>
  class Way {
   public:
    void run(const Input<KeySet>& input, Sessions& sessions) {
      if (machines_.empty())
        for (Session& session : sessions) machines_.emplace_back(session);
      const auto* const codes = input.codes.data();
      for (std::size_t at = 0; at < k_events; ++at) machines_[at % k_sessions].process(codes[at]);
    }

   private:
    std::vector<fsm::Machine<Handlers<KeySet, Body>, Session, Engine>> machines_;
  };
};

/// A whole batch in one go, whoever its events are for.
template <template <class> class Engine>
struct OfBatch {
  template <class KeySet, class Body>
  struct Way {
    using Table = fsm::Table<Handlers<KeySet, Body>>;
    struct Feed {
      const typename KeySet::Key* code;
      const typename KeySet::Key* end;
      const typename KeySet::Key* begin;
      Session* sessions;

      [[nodiscard]] bool is_done() const { return code == end; }
      [[nodiscard]] std::size_t event(std::size_t ahead) const {
        return ahead < static_cast<std::size_t>(end - code) ? Table::event_index(code[ahead]) : 0;
      }
      void next(std::uint16_t) { ++code; }
      template <std::size_t>
      static constexpr bool permits() {
        return true;
      }
      template <std::size_t Number>
      [[gnu::always_inline]] void perform() {
        Session& session = sessions[static_cast<std::size_t>(code - begin) % k_sessions];
        if constexpr (Number < k_count<KeySet>)
          Body::template run<Number>(session);
        else
          miss(session);
      }
    };

    void run(const Input<KeySet>& input, Sessions& sessions) {
      Feed feed{input.codes.data(), input.codes.data() + k_events, input.codes.data(), sessions.data()};
      std::uint16_t state = 0;
      Engine<Table>::drain(state, feed);
    }
  };
};

// ------------------------------------------------------------------------------------------------------------
// registers

/// A competitor of one case: its digest is that of the first pass over new sessions.
template <class KeySet, template <class, class> class Way, class Body>
class Dispatching final : public harness::Competitor {
 public:
  explicit Dispatching(const std::vector<std::uint16_t>& numbers) : input_(numbers) {
    way_.run(input_, *sessions_);
    digest_ = digest_of(*sessions_);
  }
  harness::Operations run() override {
    way_.run(input_, *sessions_);
    harness::keep(*sessions_);
    return harness::Operations{}.add("", k_events).digest(digest_);
  }

 private:
  Input<KeySet> input_;
  std::unique_ptr<Sessions> sessions_ = std::make_unique<Sessions>();
  Way<KeySet, Body> way_;
  std::uint64_t digest_ = 0;
};

using MakeDispatching = std::function<std::unique_ptr<harness::Competitor>(const harness::BenchCase&)>;

/// The competitors that one key set has, by name.
using DispatchUnit = std::vector<std::pair<std::string, MakeDispatching>>;

template <class KeySet, template <class, class> class Way>
MakeDispatching dispatching() {
  return [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
    const auto numbers = stream(of.text("stream"), k_count<KeySet>, of.seed());
    if (of.text("body") == "fix") return std::make_unique<Dispatching<KeySet, Way, FixLike>>(numbers);
    return std::make_unique<Dispatching<KeySet, Way, Trivial>>(numbers);
  };
}

/// Nothing where the keys have no lookup of that kind.
template <class KeySet, fsm::Strategy Strategy, class Rungs = fsm::Ladder<Strategy>>
void add_hashed(DispatchUnit& unit, const char* name) {
  if constexpr (fsm::KeyLookup<KeySet, Rungs>::plan().strategy == Strategy)
    unit.emplace_back(name, dispatching<KeySet, Hashed<Rungs>::template Way>());
}

/// `XorModulo`: the ladder to take for it, since the compiler searches small sets only.
template <class KeySet, class MadeByGperf, class XorModulo>
DispatchUnit dispatch_unit() {
  using fsm::Strategy;
  DispatchUnit unit;
  unit.emplace_back("if-else", dispatching<KeySet, IfElse>());
  unit.emplace_back("switch", dispatching<KeySet, Switch>());
  add_hashed<KeySet, Strategy::direct>(unit, "direct, switch");
  add_hashed<KeySet, Strategy::multiply_shift>(unit, "multiply-shift, switch");
  add_hashed<KeySet, Strategy::two_level>(unit, "two-level, switch");
  add_hashed<KeySet, Strategy::xor_modulo, XorModulo>(unit, "xor-modulo, switch");
  add_hashed<KeySet, Strategy::sorted>(unit, "sorted, switch");
  unit.emplace_back("default hash, functions", dispatching<KeySet, HashAndFunctions>());
  unit.emplace_back("machine, nested switch", dispatching<KeySet, OfMachine<fsm::NestedSwitch>::template Way>());
  unit.emplace_back("machine, flat switch", dispatching<KeySet, OfMachine<fsm::FlatSwitch>::template Way>());
  unit.emplace_back("machine, function table", dispatching<KeySet, OfMachine<fsm::FunctionTable>::template Way>());
  unit.emplace_back("machine, hashed tuple", dispatching<KeySet, OfMachine<fsm::HashedTuple>::template Way>());
  unit.emplace_back("machine, row by row", dispatching<KeySet, OfMachine<fsm::RowByRow>::template Way>());
  unit.emplace_back("batch, nested switch", dispatching<KeySet, OfBatch<fsm::NestedSwitch>::template Way>());
  unit.emplace_back("batch, tail calls", dispatching<KeySet, OfBatch<fsm::TailCalls>::template Way>());
  unit.emplace_back("batch, computed goto", dispatching<KeySet, OfBatch<fsm::ComputedGoto>::template Way>());
  unit.emplace_back("gperf, switch", dispatching<KeySet, Gperf<MadeByGperf>::template Way>());
  unit.emplace_back("unordered_map", dispatching<KeySet, UnorderedMap>());
  return unit;
}

DispatchUnit fix_4();
DispatchUnit fix_7();
DispatchUnit fix_16();
DispatchUnit fix_32();
DispatchUnit fix_64();
DispatchUnit fix_93();
DispatchUnit random_4();
DispatchUnit random_7();
DispatchUnit random_16();
DispatchUnit random_32();
DispatchUnit random_64();
DispatchUnit random_93();

}  // namespace dojima::bench
