#pragma once

// Which of a gateway's sessions are read. Overload slows a gateway and loses nothing: clients of a venue user are not
// read while too many of its requests are unanswered or its connection is nearly full, and the session of a user that
// one client has is not read while that client is far behind with what it is sent. So TCP pushes back on who sends too
// much; a client that does not read ends its own session (fix::SessionConfig::stall_timeout), and nobody waits for it.
// While the journal is short of room nobody is read: clients' sessions see to that themselves, those with the venues
// are held here. A message costs a look at the client's users. No allocation after attach(); one thread.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/mit/client_session.hpp"

namespace dojima::gateway {

struct FlowLimits {
  std::uint64_t in_flight = 0;   ///< requests of a venue user that the venue has not answered, at least 1
  std::uint64_t backlog = 0;     ///< messages to a client that its connection has not taken
  std::size_t journal_room = 0;  ///< bytes in the journal that one message leads to at most
};

class FlowControl {
 public:
  /// `users` outlives it. Throws std::bad_alloc.
  FlowControl(const VenueUsers& users, std::size_t clients, FlowLimits limits);

  /// Once each; both outlive its use.
  void attach(std::uint32_t client, fix::Session& session) noexcept { clients_[client] = &session; }
  void attach_user(std::uint32_t user, mit::ClientSession& venue) noexcept { users_of_venue_[user].session = &venue; }
  /// Whose room counts; they outlive its use. Null: there is always room.
  void watch(const fix::JournalStores* stores) noexcept { stores_ = stores; }

  /// A message of the client was served.
  void on_request(std::uint32_t client) {
    for (const std::uint32_t user : users_.of(client))
      if (users_of_venue_[user].is_holding || is_behind(user)) [[unlikely]]
        hold(user, client);
  }
  /// Something came from the venue, or its connection has room again.
  void on_venue(std::uint32_t user) {
    const Venue& venue = users_of_venue_[user];
    if (venue.is_holding && has_caught_up(user)) [[unlikely]]
      release(user);
    if (users_.clients_of(user).size() == 1 && clients_[users_.clients_of(user).front()]->is_blocked()) [[unlikely]]
      hold_venue(user);
  }
  /// The user's session with the venue has begun.
  void on_venue_up(std::uint32_t user) {
    if (is_short_of_room()) users_of_venue_[user].session->set_reading(false);
  }
  /// The session with the venue is over: nothing is awaited of it.
  void on_venue_end(std::uint32_t user) {
    if (users_of_venue_[user].is_holding) release(user);
  }
  /// The client's connection has taken all that waited for it, or is gone.
  void on_client(std::uint32_t client);

  /// Whether the journal is short of room: nothing may be begun that writes much.
  [[nodiscard]] bool is_short_of_room() const noexcept { return stores_ != nullptr && stores_->is_short_of_room(); }
  /// Bytes that were written since the room is short; 0: it is not.
  [[nodiscard]] std::size_t written_while_short() const noexcept {
    return is_short_of_room() ? stores_->written_while_short() : 0;
  }
  /// A message was served, in front of which so much had been written. Since the room is short nobody is read, and
  /// what is kept of it is enough for the one in hand; unless a disk that failed has left more to be written.
  void check_room(std::size_t before, std::uint64_t unwritten) const {
    const std::size_t after = written_while_short();
    DOJIMA_ASSERT(after <= before + limits_.journal_room || unwritten != 0,
                  "what a message leads to has room in the journal", before, after, limits_.journal_room);
  }
  /// It has become so: no session with a venue is read.
  void hold_venues();
  /// There is room again: they are, but for those of clients that are far behind.
  void read_venues();

  /// Clients that were not read for a while, so often.
  [[nodiscard]] std::uint64_t holds() const noexcept { return holds_; }

 private:
  struct Venue {
    mit::ClientSession* session = nullptr;
    bool is_holding = false;  // its clients are not read
    bool is_full = false;     // because of what is unanswered; else for want of room
  };

  [[nodiscard]] bool is_behind(std::uint32_t user) const noexcept {
    const mit::ClientSession& session = *users_of_venue_[user].session;
    return session.unanswered() >= limits_.in_flight || session.is_crowded();
  }
  [[nodiscard]] bool has_caught_up(std::uint32_t user) const noexcept {
    const Venue& venue = users_of_venue_[user];
    const std::uint64_t most = venue.is_full ? limits_.in_flight / 2 : limits_.in_flight - 1;
    return venue.session->unanswered() <= most && !venue.session->is_crowded();
  }
  void hold(std::uint32_t user, std::uint32_t client);
  void release(std::uint32_t user);
  void hold_venue(std::uint32_t user);

  const VenueUsers& users_;
  const FlowLimits limits_;
  std::vector<fix::Session*> clients_;
  std::vector<Venue> users_of_venue_;
  const fix::JournalStores* stores_ = nullptr;
  std::uint64_t holds_ = 0;
  std::uint64_t releases_ = 0;
};

}  // namespace dojima::gateway
