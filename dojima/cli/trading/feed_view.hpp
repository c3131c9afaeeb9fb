#pragma once

// What a person sees of a feed: trades and what happened to the feed as lines, the ladder of an instrument, and one
// line that sums up.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dojima/mitch/feed/feed_client.hpp"

namespace dojima::cli {

class FeedView final : public mitch::FeedHandler {
 public:
  using Line = std::function<void(const std::string&)>;

  /// Names of instruments; others are called by their numbers. A line for each trade where `has_tape`.
  FeedView(std::map<std::uint32_t, std::string> names, bool has_tape) : names_(std::move(names)), has_tape_(has_tape) {}

  /// Where lines go, as they come; none: they are kept, the newest of them.
  void print_to(Line line) { line_ = std::move(line); }
  /// Whose messages come; before the first of them.
  void look_at(const mitch::FeedClient& client) { client_ = &client; }

  void on_message(char group, std::uint32_t number, Bytes message, time::Time now) override;
  void on_notice(const mitch::FeedNotice& notice, time::Time now) override;

  [[nodiscard]] std::string name_of(std::uint32_t instrument) const;
  /// "group 1 next 120 live, ..."
  [[nodiscard]] std::string summary(const mitch::FeedClient& client) const;
  /// Both sides of a book, best first.
  [[nodiscard]] std::vector<std::string> ladder(const mitch::FeedClient& client, const mitch::BookView& book,
                                                std::size_t depth) const;
  [[nodiscard]] const std::deque<std::string>& kept() const noexcept { return kept_; }
  [[nodiscard]] std::uint64_t trades() const noexcept { return trades_; }
  /// Gaps, refusals and the like as words.
  [[nodiscard]] std::string text_of(const mitch::FeedNotice& notice) const;

 private:
  [[nodiscard]] std::string refused_text(const mitch::FeedNotice& notice) const;
  void say(const std::string& line);
  void print_trade(std::uint32_t instrument, std::uint64_t quantity, market::Price price, std::uint64_t trade,
                   const char* kind);

  std::map<std::uint32_t, std::string> names_;
  bool has_tape_;
  Line line_;
  const mitch::FeedClient* client_ = nullptr;
  std::deque<std::string> kept_;
  std::uint64_t trades_ = 0;
};

}  // namespace dojima::cli
