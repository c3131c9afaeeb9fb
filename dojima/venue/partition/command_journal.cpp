#include "dojima/venue/partition/command_journal.hpp"

#include <cstdlib>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"

namespace dojima::venue {

namespace {

/// What a venue must be able to do when its journal has no room for more: take risk away, end sessions, go on with the
/// day. A logon, too: nobody cancels who cannot log on.
bool is_essential(market::CommandType type) noexcept {
  switch (type) {
    case market::CommandType::cancel:
    case market::CommandType::mass_cancel:
    case market::CommandType::logon:
    case market::CommandType::end_session:
    case market::CommandType::expire:
    case market::CommandType::phase:
    case market::CommandType::day:
    case market::CommandType::bust_trade:
    case market::CommandType::correct_trade:
    case market::CommandType::risk:
    case market::CommandType::slice:
    case market::CommandType::next_day:
      return true;
    case market::CommandType::new_order:
    case market::CommandType::replace:
    case market::CommandType::quote:
    case market::CommandType::setting:
    case market::CommandType::checkpoint:
    case market::CommandType::none:
      return false;
  }
  return false;
}

}  // namespace

bool CommandJournal::write_any(const market::CommandHeader& header) {
  const std::size_t size = market::size_of(header.type);
  return write(header, size, is_essential(header.type) ? journal_.prepare_essential(size) : journal_.prepare(size));
}

/// The command is not the next one: because what is in the journal was not applied, or because nobody stamped it.
void CommandJournal::stop_out_of_order(const market::CommandHeader& header) const {
  const std::uint64_t last_written = journal_.last().value;
  DOJIMA_ASSERT(last_written == last_.value, "what is in the journal is applied before more comes", last_written,
                last_.value);
  DOJIMA_ASSERT(header.sequence.value == last_.value + 1, "a command is stamped before it is written",
                header.sequence.value, last_.value);
  std::abort();
}

const market::CommandHeader* CommandJournal::read(Bytes record) const {
  if (record.size() < sizeof(market::CommandHeader)) return nullptr;
  const void* begin = record.data();
  DOJIMA_ASSERT(reinterpret_cast<std::uintptr_t>(begin) % alignof(market::CommandHeader) == 0, "a record is aligned",
                reinterpret_cast<std::uintptr_t>(begin), record.size());
  const auto& header = *static_cast<const market::CommandHeader*>(begin);
  if (market::size_of(header.type) != record.size()) return nullptr;
  if (header.sequence.value != last_.value + 1) return nullptr;
  return &header;
}

market::Sequence CommandJournal::durable() const {
  const std::uint64_t durable = journal_.durable().value;
  const std::uint64_t last_written = journal_.last().value;
  DOJIMA_ASSERT(durable <= last_written, "only what is in a journal can be durable", durable, last_written);
  return {durable};
}

void CommandJournal::save(StateWriter& out) const {
  out.section("commands");
  out.add(last_);
  out.add(last_time_);
}

bool CommandJournal::load(StateReader& in) {
  DOJIMA_ASSERT(last_.value == 0, "a partition is loaded before its first command", last_);
  return in.section("commands") && in.read(last_) && in.read(last_time_);
}

void CommandJournal::save_beginning(StateWriter& out) const {
  if (began_ == time::Time{}) return;
  out.section("began");
  out.add(began_);
}

bool CommandJournal::load_beginning(StateReader& in) {
  return !in.is_next("began") || (in.section("began") && in.read(began_));
}

}  // namespace dojima::venue
