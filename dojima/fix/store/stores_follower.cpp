#include "dojima/fix/stores_follower.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/store/store_journal.hpp"

namespace dojima::fix {

using journal::Trouble;

std::expected<std::unique_ptr<StoresFollower>, Trouble> StoresFollower::begin(journal::Disk& disk,
                                                                              const JournalStoresOptions& options,
                                                                              std::function<void()> forget) {
  auto stores = StoreJournal::follow(options);
  if (!stores) return std::unexpected(std::move(stores.error()));
  return std::unique_ptr<StoresFollower>(new StoresFollower(disk, options, std::move(forget), std::move(*stores)));
}

StoresFollower::StoresFollower(journal::Disk& disk, const JournalStoresOptions& options, std::function<void()> forget,
                               std::unique_ptr<StoreJournal> stores)
    : disk_(disk),
      options_(options),
      forget_(std::move(forget)),
      stores_(std::move(stores)),
      tailer_(disk, identity_of_store(options.name)) {}

StoresFollower::~StoresFollower() = default;

/// The options were good for the stores before.
void StoresFollower::begin_anew() {
  stores_ = std::move(*StoreJournal::follow(options_));
  forget_();
  tailer_.rewind();
}

std::expected<std::size_t, Trouble> StoresFollower::step(std::size_t most) {
  waits_for_.clear();
  for (std::size_t read = 0; read < most; ++read) {
    const auto record = tailer_.next();
    if (!record) {
      if (record.error().code == ErrorCode::refused)
        return std::unexpected(Trouble{.error = record.error(),
                                       .what = "the directory holds the journal of another",
                                       .advice = "name the directory of the gateway that is to be followed"});
      if (record.error().code == ErrorCode::missing && !journal::is_of_disk(record.error())) {
        ++restarts_;
        begin_anew();
      }
      waits_for_ = journal::text_of(record.error());
      return read;
    }
    if (!*record) {
      if (const char* obstacle = tailer_.obstacle(); obstacle != nullptr) waits_for_ = obstacle;
      return read;
    }
    if (auto trouble = stores_->take(**record)) return std::unexpected(std::move(*trouble));
  }
  return most;
}

std::size_t StoresFollower::sessions() const noexcept {
  return stores_->stores().size();
}

std::size_t StoresFollower::messages() const noexcept {
  std::size_t messages = 0;
  for (const auto& store : stores_->stores()) messages += store->index().size();
  return messages;
}

std::expected<StoresFollower::TakenOver, Trouble> StoresFollower::take_over(std::unique_ptr<StoresFollower> follower,
                                                                            std::unique_ptr<journal::File> lock) {
  DOJIMA_ASSERT(lock != nullptr, "who takes over has the lock");
  TakenOver taken{.stores = {}, .followed = follower->last()};
  const journal::Sequence trusted = std::min(follower->tailer_.last(), follower->tailer_.synced());
  auto done = follower->stores_->take_over(follower->disk_, taken.followed, trusted, std::move(lock));
  if (!done) return std::unexpected(std::move(done.error()));
  if (*done) {
    taken.stores.reset(new JournalStores(std::move(follower->stores_)));
    return taken;
  }
  taken.is_cold = true;
  follower->forget_();
  auto opened = JournalStores::open(follower->disk_, follower->options_);
  if (!opened) return std::unexpected(std::move(opened.error()));
  taken.stores = std::move(*opened);
  return taken;
}

}  // namespace dojima::fix
