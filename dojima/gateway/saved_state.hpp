#pragma once

// What the journal of an earlier life says of a gateway's state: it takes the pieces as they are read, in their order,
// and gives them to the gateway that is made next. For the start: allocates.
//
//   gateway::SavedState saved;
//   auto stores = fix::JournalStores::open(disk, {.name = "gateway", .state_bytes = SavedState::bytes_most(config),
//                                                 .on_state = [&](Bytes piece) { return saved.apply(piece); }});
//   gateway::Gateway gateway(config, fabric, scheduler, {.stores = stores->get(), .saved = &saved});

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/venue_progress.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway {

/// One that another was made or assigned from may only be destroyed or assigned to.
class SavedState {
 public:
  /// The newest ids of the past are kept: at least `ids`. For a standby, which reads on for days; what a gateway of a
  /// configuration remembers is `ids_most(config)`.
  explicit SavedState(std::size_t ids = ~std::size_t{0} / 2);
  SavedState(SavedState&&) noexcept;
  SavedState& operator=(SavedState&&) noexcept;
  ~SavedState();

  /// ClOrdIDs that a gateway of this configuration remembers, at most.
  [[nodiscard]] static std::size_t ids_most(const GatewayConfig& config) noexcept;
  /// Bytes of a whole state of a gateway with this configuration, at most: what JournalStoresOptions wants to know.
  [[nodiscard]] static std::uint64_t bytes_most(const GatewayConfig& config) noexcept;

  /// A piece, as it was written. Errors: `malformed`, `not_supported`; nothing more is to be applied then.
  [[nodiscard]] Result<void> apply(Bytes piece);

  struct User {
    std::string venue, name;  ///< the venue's name may be empty
    VenueProgress progress;
    KnownDay day;
    bool has_leftovers = false;                     ///< Leftovers::uncancelled
    std::vector<std::uint64_t> busted;              ///< executions that were taken back, the newest last
    std::vector<market::OwnerReport> held_busts{};  ///< that may be the first halves of corrections
  };
  [[nodiscard]] std::size_t open_orders() const noexcept;
  /// Null: nothing is known of a user of that name at that venue.
  [[nodiscard]] const User* find_user(std::string_view venue, std::string_view name) const noexcept;

  /// For the gateway that is made with it (setup/saved_content.hpp).
  class Content;
  [[nodiscard]] const Content& content() const noexcept { return *content_; }

 private:
  std::unique_ptr<Content> content_;
};

}  // namespace dojima::gateway
