#include "dojima/app/gateway/gateway_journal_follower.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <string_view>
#include <system_error>
#include <utility>

namespace dojima::app {
namespace {

/// Why the directory cannot be followed, for a person; empty: a journal was begun in it. Whose, its records say.
std::string nothing_to_follow(const std::string& directory) {
  constexpr std::string_view k_advice = "--follow names the --journal directory of the gateway that trades";
  std::error_code failed;
  if (!std::filesystem::is_directory(directory, failed))
    return fmt::format("journal {}: there is no such directory; {}", directory, k_advice);
  for (auto file = std::filesystem::directory_iterator(directory, failed);
       !failed && file != std::filesystem::directory_iterator(); file.increment(failed))
    if (file->path().extension() == ".segment") return {};
  if (failed) return fmt::format("journal {}: cannot be read: {}", directory, failed.message());
  return fmt::format("journal {}: no gateway has begun a journal there; {}", directory, k_advice);
}

}  // namespace

GatewayJournalFollower::GatewayJournalFollower(std::unique_ptr<GatewayJournal> journal)
    : journal_(std::move(journal)) {}

GatewayJournalFollower::~GatewayJournalFollower() = default;

std::expected<std::unique_ptr<GatewayJournalFollower>, std::string> GatewayJournalFollower::begin(
    const GatewayConfig& config) {
  if (std::string nothing = nothing_to_follow(config.journal.directory); !nothing.empty())
    return std::unexpected(std::move(nothing));
  auto journal = GatewayJournal::unopened(config);
  if (!journal) return std::unexpected(std::move(journal.error()));
  std::unique_ptr<GatewayJournalFollower> made(new GatewayJournalFollower(std::move(*journal)));
  GatewayJournal& target = *made->journal_;
  const std::size_t ids = gateway::SavedState::ids_most(config.gateway);
  auto stores = fix::StoresFollower::begin(*target.disk_, target.options(config),
                                           [&target, ids] { target.saved_ = gateway::SavedState(ids); });
  if (!stores)
    return std::unexpected(fmt::format("journal {}: {}", config.journal.directory, describe(stores.error())));
  made->stores_ = std::move(*stores);
  return made;
}

std::expected<std::size_t, std::string> GatewayJournalFollower::step(std::size_t most) {
  const auto read = stores_->step(most);
  if (read) return *read;
  return std::unexpected(
      fmt::format("journal {}: cannot be followed: {}", journal_->directory_, describe(read.error())));
}

std::string GatewayJournalFollower::waits_for() const {
  return lock_trouble_.empty() ? stores_->waits_for() : lock_trouble_;
}

std::expected<std::unique_ptr<GatewayJournal>, std::string> GatewayJournalFollower::take_over(
    const std::function<void(const std::string&)>& show) {
  auto lock = journal_->disk_->lock();
  if (!lock) {
    const bool is_held = lock.error().got == EWOULDBLOCK;
    lock_trouble_ = is_held ? "" : journal::text_of(lock.error());
    return nullptr;
  }
  const auto begun = std::chrono::steady_clock::now();
  auto taken = fix::StoresFollower::take_over(std::move(stores_), std::move(*lock));
  if (!taken) return std::unexpected(fmt::format("journal {}: {}", journal_->directory_, describe(taken.error())));
  journal_->stores_ = std::move(taken->stores);
  const std::uint64_t last = journal_->stores_->journal().recovery().last.value;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  show(fmt::format("journal {}: lock taken, its writer is gone; {} of {} records were read before{}, the rest in {} ms",
                   journal_->directory_, taken->followed.value, last,
                   taken->is_cold ? " and do not count, as the journal does not go on behind them" : "", took.count()));
  journal_->show_recovery(show);
  return std::move(journal_);
}

}  // namespace dojima::app
