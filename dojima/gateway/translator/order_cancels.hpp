#pragma once

// Cancels orders of a client one by one, where no mass cancel at a venue is of just them: its venue user is shared, or
// it has several. It goes through the client's orders in the order of their requests, as fast as the configuration
// allows for each user. The cancels have numbers but no records: what the venue answers leads to the order by the
// newest k_remembered of them, else by the venue's id. Deterministic, one thread, no allocation after construction;
// O(requests of the client) for each batch.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/translator/mass_cancels.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

/// A cancel that was sent.
struct OrderCancel {
  std::uint64_t number = 0;             ///< its own
  std::optional<std::uint64_t> mass{};  ///< of the client's mass cancel that it belongs to; none: the gateway's own
  std::uint32_t order = k_no_slot;
  std::uint32_t generation = 0;  ///< of the order's slot
};

class OrderCancels {
 public:
  static constexpr std::size_t k_remembered = 4096;
  /// The rate counts in windows of this length.
  static constexpr std::chrono::milliseconds k_window{100};
  /// Cancels in one go at most.
  static constexpr std::size_t k_batch = 256;

  /// What it works on; all of it outlives this.
  struct Parts {
    Records& records;
    ClientChannels& channels;
    StateJournal& journal;
    const MassCancels& mass_cancels;
    const VenueUsers& users;
  };
  /// Which orders of the client: those open ones whose present request has a number below `below`.
  struct Wanted {
    std::uint64_t below = 0;
    std::uint32_t instrument = 0;  ///< 0: of all
    std::uint8_t group = 0;        ///< 0: of all
    std::string_view sub_id{};     ///< by which their users are named, VenueUsers has it; empty: of all
    std::optional<std::uint64_t>
        mass{};  ///< as in OrderCancel; the client is sent an OrderMassCancelReport when all have left
  };

  /// `rate`: cancels a second for each venue user; 0: no limit. Throws std::bad_alloc.
  OrderCancels(const Parts& parts, std::size_t clients, std::uint32_t rate);

  /// Begins; what was under way for the client counts as done. Orders at a venue that takes no requests are passed
  /// over.
  void begin(std::uint32_t client, const Wanted& wanted, Time now);
  [[nodiscard]] bool is_running(std::uint32_t client) const noexcept { return runs_[client].is_on; }
  /// What may leave by now does.
  void go_on(std::uint32_t client, Time now);
  /// Null: no cancel of that number, or not remembered any more.
  [[nodiscard]] const OrderCancel* find(std::uint64_t number) const noexcept;

 private:
  struct Run {
    Wanted wanted;
    std::uint64_t next = 0;  // requests below were looked at
    bool is_on = false;
    bool has_left_some = false;  // their venue took no requests
  };
  struct Pace {
    Time begin = Time::min();  // of the window
    std::uint32_t used = 0;
  };

  [[nodiscard]] bool spend(std::uint32_t user, Time now) noexcept;
  [[nodiscard]] Time collect(std::uint32_t client, Time now);
  [[nodiscard]] std::size_t send_batch(std::uint32_t client);
  void finish(std::uint32_t client, Time now);

  Parts parts_;
  std::uint32_t window_rate_;  // in each window; 0: no limit
  std::vector<Run> runs_;      // by client
  std::vector<Pace> paces_;    // by user
  std::vector<std::uint32_t> batch_;
  std::vector<OrderCancel> sent_;  // ring, numbers ascending
  std::size_t sent_count_ = 0;
};

}  // namespace dojima::gateway
