#pragma once

// The venues of a gateway and the users that its clients trade through there, and which of them an order goes to:
// symbols belong to a venue, and a client has a user at each venue that it trades at. Users are numbered as the
// configuration names them first; where every client has its own venue user, a user's number is its client's place.
// Several clients may share a user; what is theirs is kept apart by the gateway then, for the venue does not. Made
// once, at the start; a question is O(1), or O(users of the client).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/gateway/config.hpp"

namespace dojima::gateway {

struct VenueUser {
  std::string name, password;
  std::string new_password;  ///< empty: it keeps the one that it has
  std::uint8_t venue = 0;
  std::vector<std::uint32_t> clients{};  ///< places in the configuration, ascending
};

class VenueUsers {
 public:
  /// Venues that identifiers of FIX messages can distinguish.
  static constexpr std::size_t k_venues_max = 10;

  /// Throws std::invalid_argument for a venue or client that is not there, a user with two passwords, two users of a
  /// client at one venue for the same orders, a client without any, or more users than an order can name.
  explicit VenueUsers(const GatewayConfig& config);

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(users_.size()); }
  [[nodiscard]] const VenueUser& operator[](std::uint32_t user) const noexcept { return users_[user]; }
  [[nodiscard]] std::span<const std::uint32_t> clients_of(std::uint32_t user) const noexcept {
    return users_[user].clients;
  }
  /// Whom the client trades as, ascending; at least one.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t client) const noexcept { return of_[client]; }
  /// Its user at the venue for an order that names this SenderSubID and Account; empty: it names none. One of the sub
  /// id where there is one, else of the account, else the client's own. None: it does not trade there, not so.
  [[nodiscard]] std::optional<std::uint32_t> at(std::uint32_t client, std::uint8_t venue, std::string_view sub_id = {},
                                                std::string_view account = {}) const noexcept;
  /// Whether a SenderSubID says whom the client trades as, at some venue.
  [[nodiscard]] bool has_sub_ids(std::uint32_t client) const noexcept;
  /// Whether this one does.
  [[nodiscard]] bool has_sub_id(std::uint32_t client, std::string_view sub_id) const noexcept;
  /// The same text, as long as this lives; empty where it is no sub id of the client's.
  [[nodiscard]] std::string_view stored_sub_id(std::uint32_t client, std::string_view sub_id) const noexcept;
  /// The SenderSubID by which the client names the user; empty: by none.
  [[nodiscard]] std::string_view sub_id_of(std::uint32_t client, std::uint32_t user) const noexcept;
  /// The user of that name there.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view venue, std::string_view name) const noexcept;
  /// Whether the client has one user, and nobody else has that: what the venue does for the user it does for the
  /// client.
  [[nodiscard]] bool is_alone(std::uint32_t client) const noexcept {
    return of_[client].size() == 1 && users_[of_[client].front()].clients.size() == 1;
  }

  [[nodiscard]] std::size_t venues() const noexcept { return names_.size(); }
  /// May be empty, of the first.
  [[nodiscard]] std::string_view venue_name(std::uint8_t venue) const noexcept { return names_[venue]; }
  /// Where the instrument is traded; that of a symbol which does not say, and of an unknown one, is the first.
  [[nodiscard]] std::uint8_t venue_of(std::uint32_t instrument) const noexcept {
    const std::uint8_t* const venue = venues_.find(instrument);
    return venue == nullptr ? std::uint8_t{0} : *venue;
  }

 private:
  /// A way to one of a client's users.
  struct Route {
    std::uint32_t user = 0;
    std::string sub_id{}, account{};
  };

  void add(std::uint32_t client, std::uint8_t venue, const UserConfig& configured);
  [[nodiscard]] std::uint32_t add_user(std::uint8_t venue, const VenueLogon& logon);
  [[nodiscard]] std::uint8_t place_of(std::string_view venue) const;

  std::vector<std::string> names_;  // of venues
  std::vector<VenueUser> users_;
  std::vector<std::vector<Route>> routes_;        // by client
  std::vector<std::vector<std::uint32_t>> of_;    // by client
  FixedMap<std::uint32_t, std::uint8_t> venues_;  // by instrument
};

/// What is configured of a venue, by its place. That the first is where Gateway::start says is not in it.
[[nodiscard]] VenueConfig venue_at(const GatewayConfig& config, std::uint8_t venue);

}  // namespace dojima::gateway
