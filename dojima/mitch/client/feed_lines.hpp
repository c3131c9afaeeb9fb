#pragma once

// The two lines of a feed: datagrams come in, sound units of the real-time channel go out, and a line that says nothing
// for too long is lost until it speaks again.

#include <array>
#include <cstddef>

#include "dojima/link/datagram.hpp"
#include "dojima/mitch/client/feed_context.hpp"
#include "dojima/mitch/unit.hpp"

namespace dojima::mitch {

class UnitReceiver {
 public:
  /// A heartbeat, or messages none of which is administrative; its numbers fit 32 bits.
  virtual void on_unit(std::size_t line, const Unit& unit, time::Time now) = 0;

 protected:
  ~UnitReceiver() = default;
};

class FeedLines {
 public:
  /// Both outlive it.
  FeedLines(const FeedContext& context, UnitReceiver& receiver);

  [[nodiscard]] link::DatagramReceiver& line(std::size_t which) noexcept { return lines_[which]; }
  [[nodiscard]] bool is_lost(std::size_t which) const noexcept { return lines_[which].is_lost; }
  /// Begins to watch them.
  void start(time::Time now);
  void stop() { watch_.disarm(); }

 private:
  struct Line final : link::DatagramReceiver {
    void on_datagram(Bytes datagram, time::Time now) override { lines->take_datagram(*this, datagram, now); }
    FeedLines* lines = nullptr;
    std::size_t number = 0;
    time::Time last{};
    bool is_lost = false;
  };

  void take_datagram(Line& line, Bytes datagram, time::Time now);
  void on_watch(time::Time now);

  const FeedContext& context_;
  UnitReceiver& receiver_;
  std::array<Line, FeedClient::k_lines> lines_;
  sched::TimerOf<&FeedLines::on_watch> watch_;
};

}  // namespace dojima::mitch
