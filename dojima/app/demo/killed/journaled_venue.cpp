#include "dojima/app/demo/killed/journaled_venue.hpp"

#include <fmt/core.h>
#include <memory>

#include "dojima/app/venue_journals.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/simulate/tape.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace dojima::app::demo {

std::expected<simulate::VenueSnapshot, std::string> venue_from_journal(const VenueConfig& config) {
  simulate::VenueSnapshot snapshot;
  snapshot.users.resize(config.users.size());
  std::size_t index = 0;
  for (const std::uint8_t number : simulate::Exchange::partition_numbers(config)) {
    const std::string folder = config.journal.directory + "/" + partition_folder(number);
    const auto disk = journal::RealDisk::open(folder);
    if (!disk) return std::unexpected(fmt::format("{} cannot be opened: {}", folder, journal::text_of(disk.error())));
    std::unique_ptr<simulate::Tape> tape;
    venue::ReplayOptions options;
    options.from_snapshot = false;
    options.on_made = [&](venue::Partition& made) {
      tape = std::make_unique<simulate::Tape>(made, simulate::limits_of(config));
    };
    const auto replayed = venue::replay_directory(**disk, options);
    if (!replayed) return std::unexpected(fmt::format("{}: {}", folder, replayed.error().what));
    const venue::Partition* partition = replayed->replayer->partition();
    if (partition == nullptr) return std::unexpected(folder + " holds no commands");
    simulate::add_partition(snapshot, *partition, *tape, index++);
    snapshot.front.reports_sent += partition->reports().next_number().value - 1;
  }
  return snapshot;
}

}  // namespace dojima::app::demo
