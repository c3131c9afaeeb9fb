#include "dojima/fix/journal_stores.hpp"

#include <utility>

#include "dojima/fix/store/store_journal.hpp"

namespace dojima::fix {

std::expected<std::unique_ptr<JournalStores>, journal::Trouble> JournalStores::open(
    journal::Disk& disk, const JournalStoresOptions& options) {
  auto opened = StoreJournal::open(disk, options);
  if (!opened) return std::unexpected(std::move(opened.error()));
  return std::unique_ptr<JournalStores>(new JournalStores(std::move(*opened)));
}

JournalStores::JournalStores(std::unique_ptr<StoreJournal> shared) : shared_(std::move(shared)) {}
JournalStores::~JournalStores() = default;

Result<MessageStore*> JournalStores::store(const SessionName& name) {
  return shared_->store(name);
}

void JournalStores::keep_state_of(StateKeeper* keeper) {
  shared_->keep_state_of(keeper);
}

Result<void> JournalStores::write_state(Bytes state, bool is_essential, const MessageStore* received) {
  return shared_->write_state(state, is_essential, static_cast<const JournalStore*>(received));
}

void JournalStores::carry_state(Bytes state) {
  shared_->carry(state);
}

bool JournalStores::is_state_carried() const {
  return shared_->carried().empty();
}

void JournalStores::deliver() {
  shared_->deliver();
}

journal::FileJournal& JournalStores::journal() noexcept {
  return shared_->journal();
}

const journal::FileJournal& JournalStores::journal() const noexcept {
  return shared_->journal();
}

std::size_t JournalStores::sessions() const noexcept {
  return shared_->stores().size();
}

std::size_t JournalStores::messages() const noexcept {
  std::size_t messages = 0;
  for (const auto& store : shared_->stores()) messages += store->index().size();
  return messages;
}

}  // namespace dojima::fix
