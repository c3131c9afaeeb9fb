#pragma once

// What one client watches, and what it has been sent: it makes the client's next frame out of the picture, a snapshot
// first and then only what is newer than the frame before. However long a client was not ready, its next frame brings
// it to the present. docs/dashboard.md has the words that a client says.

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "dojima/market/order.hpp"
#include "dojima/web/dashboard/frame.hpp"
#include "dojima/web/dashboard/picture.hpp"

namespace dojima::web {

class ClientView {
 public:
  static constexpr std::size_t k_ladder_levels = levels_of(Detail::ladder);  ///< of a side
  static constexpr std::size_t k_queue_orders = 200;
  static constexpr std::size_t k_tape_rows = 200;        ///< in one frame; of more the newest
  static constexpr std::size_t k_notice_rows = 100;      ///< likewise
  static constexpr std::size_t k_history_columns = 128;  ///< in one frame; the others follow
  static constexpr unsigned k_frames_a_second = 30;

  /// Words: `watch ID`, `queue B|S UNITS`, `queue off`, `own PLACE`, `own off`, `show BITS`, `again`. The error is for
  /// a person; what was watched stays then.
  [[nodiscard]] std::expected<void, std::string> on_words(std::string_view words, Picture& picture);

  /// None: there is nothing new.
  [[nodiscard]] std::optional<std::string> next_frame(const Picture& picture);

  [[nodiscard]] std::uint32_t instrument() const noexcept { return instrument_; }
  /// What it shows of its instrument: a ladder, or orders, where it shows a queue or whose they are.
  [[nodiscard]] Detail detail() const noexcept {
    if (is_shown(Section::queue) && queue_side_ != market::Side::none) return Detail::orders;
    if (!is_shown(Section::ladder)) return Detail::touch;
    return own_ != 0 ? Detail::orders : Detail::ladder;
  }

 private:
  struct Seen {
    std::uint64_t instruments = 0, notices = 0, notice_number = 0, market = 0, ladder = 0, queue = 0, tape = 0,
                  auction = 0, counters = 0, sessions = 0, last_rejects = 0, account = 0, pace = 0, trouble = 0;
    std::uint64_t tape_number = 0, point_number = 0, latency_number = 0;
    std::uint32_t call = ~std::uint32_t{0};
    std::uint32_t generation = ~std::uint32_t{0};
    std::size_t columns = 0;
    std::uint32_t account_generation = ~std::uint32_t{0};
    std::size_t points = 0;  // of the equity
  };

  [[nodiscard]] bool is_shown(Section section) const noexcept {
    return (shown_ >> static_cast<unsigned>(section) & 1U) != 0;
  }
  void forget_instrument();
  void write_start(FrameWriter& frame, const Picture& picture) const;
  void write_instruments(FrameWriter& frame, const Picture& picture);
  void write_levels(FrameWriter& frame, const Picture::Instrument& of, market::Side side) const;
  void write_notices(FrameWriter& frame, const Picture& picture);
  void write_market(FrameWriter& frame, const Picture& picture);
  void write_ladder(FrameWriter& frame, const Picture::Instrument& of);
  void write_queue(FrameWriter& frame, const Picture::Instrument& of);
  void write_tape(FrameWriter& frame, const Picture& picture);
  void write_auction(FrameWriter& frame, const Picture::Instrument& of);
  void write_history(FrameWriter& frame, const Picture::Instrument& of);
  void write_latencies(FrameWriter& frame, const Picture& picture);
  void write_account(FrameWriter& frame, const Picture& picture);
  void write_state(FrameWriter& frame, const Picture& picture);

  std::uint32_t instrument_ = 0;  // 0: the first there is
  std::uint32_t shown_ = ~std::uint32_t{0};
  market::Side queue_side_ = market::Side::none;
  std::int64_t queue_price_ = 0;
  std::uint16_t own_ = 0;  // whose orders are marked, as Fact::owner; 0: nobody's
  std::uint64_t epoch_ = 0;
  bool is_new_ = true;
  std::uint32_t frames_ = 0;
  Seen seen_;
};

}  // namespace dojima::web
