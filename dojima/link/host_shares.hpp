#pragma once

// Which of the connections that wait makes room for another one, so that one host cannot displace the others: the
// oldest of the host that has most waiting, or of the newcomer's own where no other has more. O(waiting) for each
// choice; all memory is taken at construction.
//
//   shares.begin();
//   for (const Link* link : waiting) shares.add(link->host(), link->number());
//   if (const auto at = shares.choose(peer.host)) waiting[*at]->make_room();

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dojima::link {

class HostShares {
 public:
  /// Throws std::bad_alloc.
  explicit HostShares(std::size_t waiting_most);

  /// Forgets those that were added.
  void begin() noexcept;
  /// One that waits; of a host the smaller number is the older one. The host outlives the choice. At most
  /// `waiting_most`.
  void add(std::string_view host, std::uint64_t number) noexcept;
  /// The place of one in the order in which they were added; none: nobody waits. Of hosts with as many, none of them
  /// the newcomer's, that of the oldest.
  [[nodiscard]] std::optional<std::size_t> choose(std::string_view newcomer) noexcept;

 private:
  struct Host {
    std::string_view name;
    std::uint64_t choice = 0;  // which one it is of; others are no hosts
    std::size_t waiting = 0;
  };
  struct Waiting {
    std::size_t host = 0;  // in hosts_
    std::uint64_t number = 0;
  };
  [[nodiscard]] std::size_t place_of(std::string_view name) noexcept;

  std::vector<Host> hosts_;  // by the hash of their names; a power of two, with places left over
  std::vector<Waiting> waiting_;
  std::uint64_t choice_ = 0;
};

}  // namespace dojima::link
