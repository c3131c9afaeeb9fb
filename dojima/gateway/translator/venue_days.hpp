#pragma once

// Which day of its venue the last reports to each venue user are of. In each day a venue numbers its reports from 1, so
// what has come of one says nothing of what will come in the next; orders stay what they were. All of it is journaled
// at once. O(1), no allocation, one thread.

#include <cstdint>

#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/venue_progress.hpp"
#include "dojima/mit/messages.hpp"

namespace dojima::gateway {

class VenueDays {
 public:
  /// Both outlive this.
  VenueDays(StateJournal& journal, ClientChannels& channels) noexcept : journal_(journal), channels_(channels) {}

  [[nodiscard]] const KnownDay& of(std::uint32_t user) const noexcept { return journal_.day(user); }
  /// The current day has this name, or (not said) none that the venue states.
  void name(std::uint32_t user, const mit::VenueDay& day) { set(user, {.day = day, .is_missed = of(user).is_missed}); }
  /// The venue has ended its day; `is_missed`: before all of it had come.
  void end(std::uint32_t user, bool is_missed) {
    const KnownDay& known = of(user);
    journal_.forget_progress(user);
    set(user, {.day = known.day, .is_over = true, .is_missed = known.is_missed || is_missed});
  }
  /// The venue turns out to be in this day, and not in that of the last report any more; `is_missed`: some of a day
  /// between them may not have come.
  void begin(std::uint32_t user, const mit::VenueDay& day, bool is_missed) {
    journal_.forget_progress(user);
    set(user, {.day = day, .is_missed = of(user).is_missed || is_missed});
  }
  /// A partition of a venue that says no day turns out to have begun another.
  void miss(std::uint32_t user, std::uint8_t partition) {
    journal_.forget_progress(user, partition);
    set(user, {.is_missed = true});
  }

 private:
  void set(std::uint32_t user, const KnownDay& day) {
    journal_.set_day(user, day);
    channels_.flush_all();
  }

  StateJournal& journal_;
  ClientChannels& channels_;
};

}  // namespace dojima::gateway
