#pragma once

// What has been read of a gateway's saved state, and what the gateway that is made next takes from it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/base/state.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/drop_copy/copy_positions.hpp"
#include "dojima/gateway/limits/client_state.hpp"
#include "dojima/gateway/records/client_order_ids.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/records/request.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/gateway/setup/saved_configuration.hpp"
#include "dojima/gateway/venue_users.hpp"

namespace dojima::gateway {

class SavedState::Content {
 public:
  explicit Content(std::size_t ids) noexcept : ids_(ids) {}

  [[nodiscard]] Result<void> apply(Bytes piece);

  struct Client {
    std::string comp_id, venue_user;
    ClientState state;  ///< its limits count where they were changed
  };
  [[nodiscard]] std::size_t open_orders() const noexcept;
  /// Null: nothing is known of a client with that CompID and venue user.
  [[nodiscard]] const Client* find(const ClientConfig& client) const noexcept;
  /// Null: nothing is known of a user of that name at that venue.
  [[nodiscard]] const User* find_user(std::string_view venue, std::string_view name) const noexcept;
  /// The limits, kill switch and presence of a client with that CompID, whatever venue user it had; null: none known.
  [[nodiscard]] const ClientState* find_state(const ClientConfig& client) const noexcept;
  /// Where the drop copy of that CompID was in the messages of the client; the beginning where nothing is known.
  [[nodiscard]] CopyPosition position(std::string_view copy, const ClientConfig& client) const;
  /// The trades that clients did not know, of those that are configured, numbered as in the configuration; the newest
  /// last.
  [[nodiscard]] std::vector<UnknownTrade> unknown_trades(const GatewayConfig& config) const;
  /// Numbers below may have been used for ExecIDs of the gateway's own.
  [[nodiscard]] std::uint64_t next_execution() const noexcept { return next_execution_; }
  /// The records, with clients numbered as in the configuration. Orders that are over, of clients that are no longer
  /// configured, are left out. Errors: `missing`, with the order's slot, for an open order of a client that is not
  /// configured or trades as another venue user now.
  [[nodiscard]] Result<Records::Remembered> records(const GatewayConfig& config) const;
  /// Why an open order does not mean the same with this configuration, in words that name it, for a person: its client
  /// is not there or speaks another version, it trades as another venue user, the venue speaks another dialect, the
  /// instrument is another symbol's, the symbol is another venue's. Empty: it does. O(orders).
  [[nodiscard]] std::string conflict(const GatewayConfig& config) const;

 private:
  struct KeyHash {
    std::size_t operator()(const ClientOrderIds::Key& key) const noexcept { return hash_bytes(&key, sizeof key); }
  };
  struct KeyEqual {
    bool operator()(const ClientOrderIds::Key& a, const ClientOrderIds::Key& b) const noexcept {
      return a.client == b.client && a.id == b.id;
    }
  };
  struct PastId {
    ClientOrderIds::Key key;
    ClientOrderIds::Target target;
    bool is_older = false;  ///< than the oldest request whose end was read
    bool is_moved = false;  ///< the id was used again, and has another place further on
  };

  [[nodiscard]] bool apply_entry(StateReader& in);
  [[nodiscard]] bool apply_client(StateReader& in);
  [[nodiscard]] bool apply_user(StateReader& in);
  [[nodiscard]] bool apply_order(StateReader& in);
  [[nodiscard]] bool apply_request(StateReader& in);
  [[nodiscard]] bool apply_end(StateReader& in, bool is_withdrawn);
  [[nodiscard]] bool apply_state(StateReader& in, std::uint8_t kind);
  [[nodiscard]] bool apply_bust(StateReader& in, std::uint8_t kind);
  [[nodiscard]] bool apply_correction(StateReader& in);
  [[nodiscard]] bool apply_held_busts(StateReader& in);
  [[nodiscard]] bool apply_unknown_trade(StateReader& in);
  [[nodiscard]] bool apply_progress(StateReader& in, std::uint8_t kind);
  [[nodiscard]] bool apply_day(StateReader& in);
  [[nodiscard]] bool apply_numbers(StateReader& in);
  /// The place of the client whose number this is. False: no record has named it yet. The journal's oldest segments are
  /// gone then, and what is read belongs to the time before the whole state was written anew, names first: it comes
  /// again, if it is still true.
  [[nodiscard]] bool resolve(std::uint32_t& client) const noexcept;
  /// The user that an entry about a client's (as earlier versions wrote it) or about a user is of; null: not named yet.
  [[nodiscard]] User* user_of(std::uint32_t number, bool is_client);
  [[nodiscard]] std::uint32_t place_of_user(std::string_view venue, std::string_view name);
  [[nodiscard]] bool apply_order_user(StateReader& in);
  [[nodiscard]] bool apply_order_parties(StateReader& in);
  [[nodiscard]] bool apply_quote_parties(StateReader& in);
  /// The user of an order in the configuration; none: it is not there, or not its client's.
  [[nodiscard]] std::optional<std::uint32_t> user_of(const Order& order, const VenueUsers& users,
                                                     std::uint32_t client) const;
  /// The names of the user, and of its venue, that an order was entered as; nothing else of it.
  [[nodiscard]] User entered_as(const Order& order) const;
  /// The place of a client in the configuration; none where it is not there.
  [[nodiscard]] static std::optional<std::uint32_t> place_of(const GatewayConfig& config, const Client& client);
  // Of conflict(), what an open order's client, user, instrument and venue have to do with it; empty: nothing.
  [[nodiscard]] std::string client_conflict(const Client& client, const ClientConfig* now) const;
  [[nodiscard]] std::string user_conflict(const Order& order, const GatewayConfig& config, const VenueUsers& users,
                                          std::uint32_t client) const;
  [[nodiscard]] std::string instrument_conflict(std::uint32_t instrument, const GatewayConfig& config) const;
  [[nodiscard]] std::string venue_conflict(const Order& order, const GatewayConfig& config,
                                           const VenueUsers& users) const;
  [[nodiscard]] bool apply_copied(StateReader& in);
  /// `is_older`: it was of the past when the whole state was written anew. Of a request whose end was read before, its
  /// place is known better from that.
  void add_past(const ClientOrderIds::Key& key, const ClientOrderIds::Target& target, bool is_older);
  void drop_oldest_ids();

  std::size_t ids_;
  SavedConfiguration configuration_;
  std::vector<Client> clients_;                                                     // as they were named first
  std::vector<User> users_;                                                         // likewise
  std::unordered_map<std::string, std::uint32_t> client_places_, places_of_users_;  // by both their names
  std::vector<std::uint32_t> user_places_;                    // of the users' numbers in what is read now
  std::vector<UnknownTrade> unknown_trades_;                  // of clients as they were named first
  std::vector<CopyPosition> copied_;                          // of clients as they were named first
  std::vector<std::uint32_t> places_;                         // of the clients' numbers in what is read now
  std::unordered_map<std::uint32_t, SavedOrder> orders_;      // by slot
  std::unordered_set<std::uint32_t> unnamed_orders_;          // slots of open ones that have not come again yet
  std::unordered_map<std::uint64_t, SavedRequest> requests_;  // by number
  std::unordered_map<ClientOrderIds::Key, std::size_t, KeyHash, KeyEqual> past_;
  std::vector<PastId> past_ids_;
  std::uint64_t next_number_ = 0, next_execution_ = 0;
};

}  // namespace dojima::gateway
