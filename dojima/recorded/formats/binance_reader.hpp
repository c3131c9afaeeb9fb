#pragma once

// Binance streams as they were recorded: each line the receive time in nanoseconds and the JSON of a stream's message.
// Depth changes become `level` events, bookTicker a pair of `quote`, trade and aggTrade a `trade`, anything else a
// `notice`. Prices and quantities have eight decimals.
//
// The picture of the book (a REST answer with lastUpdateId) is somewhere in the file, behind changes that are newer
// than it. So changes are kept back until it comes; then the book is cleared, the picture is given, and behind it those
// of the kept changes that are newer, all of them marked k_snapshot and received with the picture: order and times of
// what a reader gives never go back. Until then there is no book. A file whose first k_most_kept changes hold no
// picture is taken to have none: its changes are given as they are. When update numbers jump, a `gap` is given; a
// picture that comes behind it repairs the book in the same way. Nothing is allocated per line once the buffers have
// grown.

#include <array>
#include <cstdint>
#include <functional>
#include <map>

#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

class BinanceReader final : public RecordedReader {
 public:
  /// Level changes that are kept back for a picture; 64 bytes each.
  static constexpr std::size_t k_most_kept = std::size_t{1} << 18;

  /// The source outlives the reader.
  explicit BinanceReader(ByteSource& source);

  [[nodiscard]] std::string_view format() const noexcept override { return "binance"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return window_.position(); }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;

 private:
  enum Type : std::uint8_t { k_depth, k_trade, k_ticker, k_picture, k_other, k_types };

  /// One message, as far as it matters; its levels are in levels_.
  struct Message {
    Type type = k_other;
    Time receive_time;
    std::string_view symbol;
    std::uint64_t event_ms = 0, trade_ms = 0;  // 0: not in the message
    std::uint64_t first_update = 0, last_update = 0, previous_update = 0, trade = 0;
    bool has_previous = false;
    bool is_buyer_maker = false;
    std::int64_t price = 0, quantity = 0;
    std::int64_t bid = 0, bid_quantity = 0, ask = 0, ask_quantity = 0;
    char origin = '\0';
  };

  /// What is known of one instrument's book.
  struct Feed {
    std::vector<RecordedEvent> kept;  // changes since the beginning, or since the last gap
    std::uint64_t first_kept = 0;     // the first update of those
    std::uint64_t last_update = 0;
    std::uint64_t picture = 0;  // the picture's last update; 0: none came
    bool has_update = false;
    bool is_waiting = true;  // nothing was given of the book yet
    bool is_keeping = true;  // a picture may come
  };

  void decode(EventBatch& batch) override;
  void finish(EventBatch& batch);
  void fail_line(std::string text) { fail({std::move(text), window_.line_position(), window_.line()}); }
  [[nodiscard]] bool read(std::string_view json, Message& message);
  [[nodiscard]] bool read_data(class JsonCursor& json, Message& message);
  [[nodiscard]] bool read_key(class JsonCursor& json, std::string_view key, Message& message);
  [[nodiscard]] bool read_short_key(class JsonCursor& json, char key, Message& message);
  [[nodiscard]] bool read_levels(class JsonCursor& json, market::Side side);
  [[nodiscard]] std::uint32_t index_of(const Message& message);
  void add(EventBatch& batch, const Message& message);
  void add_depth(EventBatch& batch, const Message& message, std::uint32_t instrument);
  void add_picture(EventBatch& batch, const Message& message, std::uint32_t instrument);
  void add_ticker(EventBatch& batch, const Message& message, std::uint32_t instrument);
  void add_gap(EventBatch& batch, const RecordedEvent& near, std::uint64_t expected, std::uint64_t got);
  void give_kept(EventBatch& batch, Feed& feed, std::uint64_t newer_than, std::optional<Time> receive_time);

  ByteWindow window_;
  std::vector<RecordedEvent> levels_;  // of the message in hand: side, price, quantity
  std::map<std::string, std::uint32_t, std::less<>> indexes_;
  std::vector<Feed> feeds_;  // by instrument
  std::array<std::uint64_t, k_types> counts_{};
};

}  // namespace dojima::recorded
