#pragma once

// Which path a command takes, and what plain ones do: matching/fast_path.hpp, top to bottom.

#include <array>
#include <cstdint>

#include "dojima/book/parts/book_general_path.hpp"

namespace dojima::book {

class Writer;

template <SideQueue Queue>
class BookFastPath : public BookGeneralPath<Queue> {
  using Base = BookGeneralPath<Queue>;

 protected:
  // Of the parts below.
  using Base::apply_general;
  using Base::bars_;
  using Base::conclude;
  using Base::dark_asks_;
  using Base::dark_bids_;
  using Base::dark_ranks_;
  using Base::end;
  using Base::follow;
  using Base::hidden;
  using Base::hidden_asks_;
  using Base::hidden_bids_;
  using Base::instrument_;
  using Base::is_own;
  using Base::is_peak;
  using Base::is_plain;
  using Base::k_rules;
  using Base::largest_;
  using Base::last_trade_;
  using Base::limits_;
  using Base::lit;
  using Base::lit_known;
  using Base::lit_opposite;
  using Base::match;
  using Base::maximum_quantity_;
  using Base::middle;
  using Base::middle_;
  using Base::orders_;
  using Base::rank_of;
  using Base::reachable;
  using Base::replenish;
  using Base::reports_;
  using Base::rules_;
  using Base::specials_;
  using Base::stop_buys_;
  using Base::stop_sells_;
  using Base::trailing_;

 public:
  using Base::Base;
  using Base::settle;

  using Base::apply;
  void apply(const market::NewOrder& command);
  void apply(const market::Replace& command);
  void apply(const market::Cancel& command);
  [[nodiscard]] bool trade_with_first(Slot slot, Quantity quantity);

 private:
  /// What a plain order has traded on the fast path.
  struct Sweep {
    Quantity left{};
    Price first{}, last{};  // if it has traded
    bool has_traded = false;
    bool is_stopped = false;  // before an order that the fast path does not know
  };

  [[nodiscard, gnu::always_inline]] inline std::uint64_t other_bits(Slot slot, OrderId id, std::uint16_t owner,
                                                                    Side side) const noexcept;
  [[gnu::noinline]] void apply_beside_special(const market::NewOrder& command, std::uint64_t unusual);
  template <bool IsUsual, bool IsAlone, bool IsShort>
  [[gnu::always_inline]] inline void enter_here(const market::NewOrder& command);
  [[gnu::noinline]] void open_and_rest(const market::NewOrder& command, Queue& own, Level level)
    requires HasLevelRecords<Queue>;
  [[gnu::noinline]] void rest_short(const market::NewOrder& command, Queue& own, std::uint32_t record)
    requires HasLevelRecords<Queue>;
  template <bool IsUsual, bool IsAlone = IsUsual>
  [[gnu::noinline]] void enter_fast(const market::NewOrder& command);
  template <bool IsUsual>
  [[gnu::noinline]] void trade_fast(const market::NewOrder& command, Level level);
  template <bool IsUsual>
  [[gnu::always_inline]] inline void write_plain(Slot slot, std::uint32_t generation, const market::NewOrder& command,
                                                 const std::array<std::uint32_t, 3>& links, std::uint8_t state);
  template <bool IsUsual>
  [[nodiscard, gnu::always_inline]] inline Sweep sweep(Writer& out, Slot taker, Side makers, OrderId id, Level limit);
  [[nodiscard]] Sweep sweep_by_policy(Writer& out, Slot taker, Side makers, OrderId id, Level limit);
  [[nodiscard]] bool is_beside_rule(const market::NewOrder& command) const noexcept;
  [[nodiscard, gnu::always_inline]] inline bool needs_general_path(Side makers, Level limit, bool is_whole) const;
  [[nodiscard]] bool rest_iceberg(const market::NewOrder& command);
  [[nodiscard]] bool is_iceberg_alone(Slot slot) const noexcept;
  [[nodiscard]] Quantity trade_with_iceberg(Writer& out, Slot taker, OrderId id, Slot slot, Price price, Quantity left);
  void wake(const Sweep& swept);
  void go_on(Slot slot, const Sweep& swept);
  [[gnu::always_inline]] inline void cancel_fast(const market::Cancel& command, Slot slot);
  void replace_fast(const market::Replace& command, Slot slot);
};

}  // namespace dojima::book
