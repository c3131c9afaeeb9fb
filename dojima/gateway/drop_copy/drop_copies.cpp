#include "dojima/gateway/drop_copy/drop_copies.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/business_reject.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/rewrite.hpp"

namespace dojima::gateway {
namespace {

constexpr std::size_t k_message_most = std::size_t{1} << 16;

/// An answer to a question about an order: no news of it.
[[nodiscard]] bool is_status(const fix::MessageView& report) noexcept {
  return report.find(fix::tag::k_exec_type) == "I" || report.find(fix::tag::k_exec_trans_type) == "3";
}

[[nodiscard]] std::int64_t begun_of(const fix::MessageStore& store) noexcept {
  const std::optional<Time> begun = store.numbers_begun();
  return begun ? begun->time_since_epoch().count() : 0;
}

}  // namespace

DropCopy::DropCopy(std::size_t number, Parts parts)
    : number_(number),
      observer_(parts.observer),
      session_(parts.scheduler, std::move(parts.schedule), std::move(parts.session), *this, parts.store, {},
               parts.scheduler.now()) {}

void DropCopy::on_logon(fix::Session&, Time now) {
  if (observer_ != nullptr) observer_->on_drop_copy_up(number_, now);
}

void DropCopy::on_logout(fix::Session&, std::string_view reason, Time now) {
  if (observer_ != nullptr) observer_->on_drop_copy_down(number_, reason, now);
}

void DropCopy::on_message(fix::Session& session, const fix::MessageView& message, Time) {
  static_cast<void>(fix::business_reject(session, message, fix::BusinessRejectReason::unsupported_message_type,
                                         "a drop copy takes no requests"));
}

DropCopies::~DropCopies() {
  for (const Followed& client : clients_)
    if (client.store != nullptr) client.store->watch_forgetting(nullptr);
}

void DropCopies::add(DropCopy& copy, std::span<const CopyPosition> positions) {
  message_.reserve(k_message_most);
  for (const CopyPosition& position : positions) {
    if (clients_.size() <= position.client) clients_.resize(position.client + 1);
    clients_[position.client].sources.push_back(static_cast<std::uint32_t>(sources_.size()));
    sources_.push_back({&copy, position});
  }
}

void DropCopies::attach(std::uint32_t client, fix::MessageStore& store, std::string_view comp_id) {
  if (clients_.size() <= client) clients_.resize(client + 1);
  clients_[client].store = &store;
  clients_[client].comp_id = comp_id;
  if (!clients_[client].sources.empty()) store.watch_forgetting(this);
}

void DropCopies::follow_all() {
  for (std::uint32_t client = 0; client < clients_.size(); ++client) follow(client);
}

void DropCopies::follow(std::uint32_t client) {
  if (client >= clients_.size()) return;
  for (const std::uint32_t source : clients_[client].sources) follow(clients_[client], sources_[source], false);
}

void DropCopies::on_forget(const fix::MessageStore& store) {
  for (const Followed& client : clients_)
    if (client.store == &store)
      for (const std::uint32_t source : client.sources) follow(client, sources_[source], true);
}

bool DropCopies::is_short_of_room() const noexcept {
  return stores_ != nullptr && stores_->is_short_of_room();
}

void DropCopies::follow(const Followed& client, Source& source, bool is_last) {
  DOJIMA_ASSERT(client.store != nullptr, "a client that is followed has a store", source.position.client);
  const fix::MessageStore& store = *client.store;
  CopyPosition& position = source.position;
  const std::int64_t begun = begun_of(store);
  if (begun != position.begun) {
    position.begun = begun;
    position.next = 1;
  }
  // Numbers that were set back by hand.
  position.next = std::min(position.next, store.next_outgoing().value);
  // What finds no room in the journal now is copied when there is some: follow_all.
  while (position.next < store.next_outgoing().value && (is_last || !is_short_of_room())) {
    const auto stored = store.find_from({position.next});
    if (!stored) break;
    const std::uint64_t number = stored->sequence.value;
    if (stored->type != fix::type::k_execution_report) {
      position.next = number + 1;
      continue;
    }
    if (stored->bytes.empty()) {
      ++counters_.uncopied;  // it cannot be read now, nor will it be
      position.next = number + 1;
      continue;
    }
    message_.assign(stored->bytes.begin(), stored->bytes.end());
    position.next = number + 1;
    if (!copy(client, source, message_)) ++counters_.uncopied;
  }
}

bool DropCopies::copy(const Followed& client, Source& source, Bytes message) {
  if (!view_.read(message)) return false;
  if (is_status(view_)) return true;
  return send(source, view_, client.comp_id);
}

/// The copy's message takes the position along, in one record of the journal.
bool DropCopies::send(Source& source, const fix::MessageView& view, std::string_view client) {
  std::array<std::byte, k_copied_entry_max> room;
  EntryWriter entry(room);
  write_copied(entry, source.position);
  fix::Session& session = source.copy->session();
  fix::Writer writer = session.begin(fix::type::k_execution_report);
  writer.field(fix::tag::k_on_behalf_of_comp_id, client);
  fix::rewrite_body(view, session.dictionary_of(view), fix::FieldOrder::compact, writer);
  if (stores_ != nullptr) stores_->carry_state(entry.written());
  const bool is_sent = session.send(writer).has_value();
  if (stores_ != nullptr && !stores_->is_state_carried()) {
    stores_->carry_state({});
    if (!stores_->write_state(entry.written(), true)) ++counters_.unwritten;
  }
  if (is_sent) ++counters_.copied;
  return is_sent;
}

}  // namespace dojima::gateway
