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

std::string_view JournalStores::verifier(const SessionName& name) const noexcept {
  const JournalStore* const store = shared_->find(name);
  return store == nullptr ? std::string_view{} : store->verifier();
}

Result<void> JournalStores::set_verifier(const SessionName& name, std::string_view verifier) {
  JournalStore* const store = shared_->find(name);
  if (store == nullptr) return fail(ErrorCode::missing, 0, 0, 0, "a session that has a store");
  return store->set_verifier(verifier);
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

bool JournalStores::is_short_of_room() const noexcept {
  return shared_->is_short_of_room();
}

void JournalStores::watch_room(RoomListener* listener) noexcept {
  shared_->watch_room(listener);
}

std::size_t JournalStores::written_while_short() const noexcept {
  return shared_->written_while_short();
}

std::size_t JournalStores::room_kept() const noexcept {
  return shared_->room_kept();
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
