#pragma once

// Who is next: hosts take turns, and of a host its users, and of a user its connections in the order of their coming.
// Whoever comes with little waits for the one at work and for a turn of each other host, however much those bring. One
// is at work at a time. When too many wait, the last of whoever has the most is turned away, so that nobody gets others
// turned away. push() and turn_away() are O(hosts and users that wait), erase() besides O(of that user), the others
// O(1). Allocates.
//
//   line.push("10.0.0.1", 7, connection);
//   const auto next = line.take();        // then line.done(), and only then the next one

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace dojima::app {

class FairLine {
 public:
  using Ticket = std::uint32_t;

  /// Of one that does not wait yet.
  void push(std::string_view host, std::uint16_t user, Ticket ticket);
  /// Whose turn it is; none: nobody waits. Not before done() of the one before.
  [[nodiscard]] std::optional<Ticket> take();
  /// The one that was taken is served: it is the turn of others.
  void done();
  /// One that waits does so no longer; no matter if it does not.
  void erase(std::string_view host, std::uint16_t user, Ticket ticket);
  /// The last of the user that has the most, of the host that has the most; the later ones to get their turn go first.
  /// None: nobody waits.
  [[nodiscard]] std::optional<Ticket> turn_away();
  /// That wait.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct User {
    std::uint16_t user;
    std::deque<Ticket> tickets;
  };
  struct Host {
    std::string host;
    std::deque<User> users;
    std::size_t size = 0;
  };

  [[nodiscard]] bool is_in_hand(const Host& host) const noexcept { return is_taken_ && &host == &hosts_.front(); }
  void drop_empty(std::deque<Host>::iterator host, std::deque<User>::iterator user);

  std::deque<Host> hosts_;  // the first one's turn; it stays there, its user too, until done()
  std::size_t size_ = 0;
  bool is_taken_ = false;
};

}  // namespace dojima::app
