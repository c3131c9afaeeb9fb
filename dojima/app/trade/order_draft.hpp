#pragma once

// An order while its words are read: what has been said so far, and what becomes of it when all has.

#include <string>
#include <vector>

#include "dojima/app/trade/order_entry.hpp"
#include "dojima/app/trade/words.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app {

struct OrderDraft {
  OrderEntry entry{};
  time::Time now{};
  std::vector<std::string> said{};  ///< names that may come once
  bool has_limit = false;
  bool has_stop = false;
  bool is_market = false;
  bool is_pegged = false;
  bool is_offset = false;
  bool is_market_to_limit = false;
  bool is_random = false;  ///< peaks
  bool is_hidden = false;

  /// Notes that something was said; an error where it was before.
  Understood<void> say(const std::string& name);
  /// The order, its type made of what was said.
  [[nodiscard]] Understood<OrderEntry> finish() const;

 private:
  [[nodiscard]] Understood<void> check_kind() const;
};

/// Reads one word of an order, alone or with the next ones: `ioc`, `gtd DATE`, `hidden`, `stop PRICE`.
/// False: it is no such word.
[[nodiscard]] Understood<bool> read_order_word(const std::string& word, WordReader& words, OrderDraft& draft);

/// Reads `key=value`. False: there is no such key.
[[nodiscard]] Understood<bool> read_order_option(const std::string& key, const std::string& value, OrderDraft& draft);

/// "2026-12-24" or "20261224", as its first instant, UTC.
[[nodiscard]] Understood<time::Time> date_in(std::string_view word);

/// The names of the words above.
[[nodiscard]] std::vector<std::string> order_word_names();
[[nodiscard]] std::vector<std::string> order_option_names();

}  // namespace dojima::app
