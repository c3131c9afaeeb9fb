#pragma once

// Where a day of a group ends and the next one begins, whose numbers begin with 1: by the last message of the day, or,
// for who has missed that, by numbers that stay behind. Of two lines one may lag behind the border.

#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/mitch/feed/feed_client.hpp"
#include "dojima/mitch/unit.hpp"

namespace dojima::mitch {

class DayBorder {
 public:
  /// `restart`: numbers that stay behind for so long mean that they began anew.
  explicit DayBorder(time::Duration restart) noexcept : restart_(restart) {}

  /// A message in its order; the one that ends the day is SystemEvent 'C'.
  void see(Bytes message);
  /// The group is followed from here on.
  void join(time::Time now) noexcept;
  /// Whether the unit is of the day before, which a lagging line still brings: its messages would pass for early ones
  /// of the new day. What is taken for old though it is new has come by the other line, or is asked for.
  [[nodiscard]] bool is_of_day_before(std::size_t line, const Unit& unit, time::Time now) noexcept;
  /// Whether numbers begin anew with this unit, where `next` is the number that would come next.
  [[nodiscard]] bool begins_anew(std::size_t line, const Unit& unit, std::uint32_t next, time::Time now) noexcept;

 private:
  time::Duration restart_;
  bool is_over_ = false;  // the last message said so
  time::Time fresh_{};    // when a unit last reached the next number
  // Of the day before, while a line that lags may still bring some of it.
  std::uint32_t old_end_ = 0;
  time::Time began_{};  // when the first line brought the new day
  std::array<bool, FeedClient::k_lines> lags_{};
};

}  // namespace dojima::mitch
