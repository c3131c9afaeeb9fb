#include "dojima/gateway/translator/state_journal.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/drop_copy/drop_copies.hpp"
#include "dojima/gateway/limits/state_image.hpp"
#include "dojima/gateway/setup/saved_configuration.hpp"

namespace dojima::gateway {
namespace {

/// ExecIDs that are reserved at a time.
constexpr std::uint64_t k_reserve = 4096;
/// What a venue user's progress takes at most, with its day.
constexpr std::size_t k_progress_max = (2 + VenueProgress::k_most) * 24;
constexpr std::size_t k_user_max = 1 + 4 + 2 * 256;
static_assert(k_user_max + k_progress_max + k_held_busts_max <= fix::k_state_piece);
constexpr std::size_t k_client_max = k_user_max + k_configured_max;
constexpr std::size_t k_whole_request_max = k_request_entry_max + k_parties_entry_max;
constexpr std::size_t k_whole_order_max = k_order_entry_max + k_parties_entry_max + 1 + 4 + 4;
/// What its limits and presence take.
constexpr std::size_t k_state_max = k_limits_entry_max + k_presence_entry_max;
static_assert(k_state_max <= fix::k_state_piece);

void add_kind(EntryWriter& out, EntryKind kind) noexcept {
  out.add(static_cast<std::uint8_t>(kind));
}

}  // namespace

StateJournal::~StateJournal() {
  if (stores_ != nullptr) stores_->keep_state_of(nullptr);
}

void StateJournal::begin(fix::JournalStores& stores, const GatewayConfig& config) {
  stores_ = &stores;
  config_ = &config;
  noted_users_.reserve(users_.size());
  noted_states_.reserve(clients_.size());
  records_.note_changes();
  busted_.note_written();  // an earlier life has
  unknown_trades_.note_written();
  reserved_ = next_execution_ + k_reserve;
  bool is_written = true;
  const auto make_room = [&](std::size_t size) {
    if (!out_.has_room(size)) is_written = write_piece(true) && is_written;
  };
  out_.clear();
  write_reserved(out_);
  for (std::uint32_t client = 0; client < clients_.size(); ++client) {
    make_room(k_client_max);
    write_client(out_, client);
  }
  for (std::uint32_t user = 0; user < users_.size(); ++user) {
    make_room(k_user_max);
    write_user(out_, user);
  }
  for (std::uint8_t venue = 0; venue < users_.venues(); ++venue) {
    make_room(k_configured_max);
    write_venue(out_, venue);
  }
  for (const SymbolConfig& symbol : config.symbols) {
    make_room(k_configured_symbol_max);
    write_configured(out_, symbol);
  }
  if (!write_piece(true) || !is_written) throw std::runtime_error("the gateway's journal takes no record");
  stores.keep_state_of(this);
}

// ----------------------------------------------------------------------------------------------------------- entries

/// A client's number and names, and its version of FIX.
void StateJournal::write_client(EntryWriter& out, std::uint32_t number) const {
  add_kind(out, EntryKind::client);
  out.add(number);
  out.add_text(std::string_view(config_->clients[number].comp_id).substr(0, 255));
  out.add_text(std::string_view(users_[users_.of(number).front()].name).substr(0, 255));
  write_configured(out, config_->clients[number]);
}

void StateJournal::write_user(EntryWriter& out, std::uint32_t user) const {
  add_kind(out, EntryKind::user);
  out.add(user);
  out.add_text(std::string_view(users_.venue_name(users_[user].venue)).substr(0, 255));
  out.add_text(std::string_view(users_[user].name).substr(0, 255));
}

void StateJournal::write_venue(EntryWriter& out, std::uint8_t venue) const {
  const mit::Dialect* const dialect = venue == 0 ? config_->dialect : config_->other_venues[venue - 1U].dialect;
  write_configured(out, users_.venue_name(venue), *dialect);
}

/// An order, for whom it is, and whom it was entered as, where that is not plain.
void StateJournal::write_order(EntryWriter& out, std::uint32_t slot) const {
  const Order& order = std::as_const(records_).order_at(slot);
  gateway::write_order(out, slot, order, records_.id_of(order));
  if (const OrderParties* const parties = records_.parties_of(order); parties != nullptr)
    write_parties(out, slot, *parties);
  const bool is_plain =
      order.user == users_.of(order.client).front() && users_.venue_name(users_[order.user].venue).empty();
  if (is_plain) return;
  add_kind(out, EntryKind::order_user);
  out.add(slot);
  out.add(std::uint32_t{order.user});
}

void StateJournal::write_progress(EntryWriter& out, std::uint32_t user) const {
  const auto one = [&](const PartitionProgress& progress) {
    add_kind(out, EntryKind::user_progress);
    out.add(user);
    out.add(progress.partition);
    out.add(progress.sequence);
    out.add(progress.digest);
  };
  const auto all = user_states_[user].progress.all();
  if (all.empty() || user_states_[user].is_forgotten) one({});  // nothing counts that came before
  for (const PartitionProgress& progress : all) one(progress);
}

void StateJournal::write_day(EntryWriter& out, std::uint32_t user) const {
  const KnownDay& known = user_states_[user].day;
  const bool has_leftovers = user_states_[user].leftovers == Leftovers::uncancelled;
  add_kind(out, EntryKind::user_day);
  out.add(user);
  out.add(known.day.venue);
  out.add(known.day.number);
  out.add(static_cast<std::uint8_t>((known.is_over ? k_day_is_over : 0U) | (known.is_missed ? k_day_is_missed : 0U) |
                                    (has_leftovers ? k_day_has_leftovers : 0U)));
}

void StateJournal::write_state(EntryWriter& out, std::uint32_t client) const {
  write_limits(out, client, states_[client]);
  write_presence(out, client, states_[client].presence);
}

void StateJournal::write_reserved(EntryWriter& out) const {
  add_kind(out, EntryKind::reserved);
  out.add(records_.next_number());
  out.add(reserved_);
}

void StateJournal::write_bust(EntryWriter& out, std::size_t place) const {
  const BustedExecution& entry = busted_.at(place);
  add_kind(out, EntryKind::user_busted);
  out.add(entry.user);
  out.add(entry.execution);
}

/// All of the user's, which are those from here on.
void StateJournal::write_held(EntryWriter& out, std::uint32_t user) const {
  add_kind(out, EntryKind::held_busts);
  out.add(user);
  out.add(static_cast<std::uint8_t>(std::ranges::count(held_.all(), user, &HeldBust::user)));
  for (const HeldBust& bust : held_.all())
    if (bust.user == user) out.add(bust.report);
}

// ----------------------------------------------------------------------------------------------------------- changes

void StateJournal::note_user(std::uint32_t user) noexcept {
  if (stores_ == nullptr || user_states_[user].is_noted) return;
  user_states_[user].is_noted = true;
  noted_users_.push_back(user);
}

void StateJournal::note_state(std::uint32_t client) noexcept {
  if (stores_ == nullptr || clients_[client].is_noted) return;
  clients_[client].is_noted = true;
  noted_states_.push_back(client);
}

bool StateJournal::note_report(std::uint32_t user, const market::OwnerReport& report) noexcept {
  if (report.partition == 0 || report.sequence.value == 0) return true;
  // No venue keeps it for recovery, so nothing can go on from there.
  if (report.kind == market::OwnerReportKind::request_rejected) return true;
  note_user(user);
  return user_states_[user].progress.set({report.sequence.value, digest_of(report), report.partition});
}

void StateJournal::forget_progress(std::uint32_t user, std::uint8_t partition) noexcept {
  note_user(user);
  UserState& state = user_states_[user];
  state.is_forgotten = true;
  partition == 0 ? state.progress.clear() : state.progress.forget(partition);
}

void StateJournal::set_day(std::uint32_t user, const KnownDay& day) noexcept {
  UserState& state = user_states_[user];
  if (state.day == day) return;
  state.day = day;
  note_user(user);
  state.is_day_noted = true;
}

void StateJournal::set_leftovers(std::uint32_t user, Leftovers leftovers) noexcept {
  UserState& state = user_states_[user];
  if (state.leftovers == leftovers) return;
  state.leftovers = leftovers;
  note_user(user);
  state.is_day_noted = true;
}

void StateJournal::end_session(std::uint32_t user) noexcept {
  held_.end_session(user);
  Leftovers& leftovers = user_states_[user].leftovers;
  if (leftovers == Leftovers::cancelled) leftovers = Leftovers::none;
}

bool StateJournal::hold_bust(const HeldBust& bust) noexcept {
  if (!held_.add(bust)) return false;
  note_held(bust.user);
  return true;
}

void StateJournal::note_held(std::uint32_t user) noexcept {
  note_user(user);
  user_states_[user].is_held_noted = true;
}

void StateJournal::forget_changes() noexcept {
  records_.forget_changes();
  for (const std::uint32_t user : noted_users_) {
    UserState& state = user_states_[user];
    state.is_noted = state.is_forgotten = state.is_day_noted = state.is_held_noted = false;
  }
  noted_users_.clear();
  for (const std::uint32_t client : noted_states_) clients_[client].is_noted = false;
  noted_states_.clear();
  busted_.note_written();
  unknown_trades_.note_written();
  is_behind_ = false;
}

bool StateJournal::write_piece(bool is_essential, const fix::MessageStore* received) {
  const bool is_written = stores_->write_state(out_.written(), is_essential, received).has_value();
  out_.clear();
  return is_written;
}

/// The changes, in pieces; what is open at the end is the last one. Requests that are over come behind their own image
/// and before the orders: an earlier piece without a later one ends requests whose order will end again.
bool StateJournal::encode() {
  out_.clear();
  const Records& records = records_;
  const RecordChanges& changes = records.changes();
  const auto make_room = [&](std::size_t size) { return out_.has_room(size) || write_piece(true); };
  for (const RecordChanges::Ended& ended : changes.ended) {
    if (!make_room(k_entry_max)) return false;
    add_kind(out_, ended.is_withdrawn ? EntryKind::withdrawn : EntryKind::closed);
    out_.add(ended.number);
    out_.add(std::uint8_t{ended.is_detached});
  }
  for (const std::uint32_t slot : changes.orders) {
    if (!records.has_order(slot)) continue;
    if (!make_room(k_whole_order_max)) return false;
    write_order(out_, slot);
  }
  for (const std::uint32_t slot : changes.requests) {
    const Request& request = records.request_at(slot);
    if (!request.is_used) continue;
    if (!make_room(k_whole_request_max)) return false;
    write_request(out_, records, request);
  }
  for (const std::uint32_t user : noted_users_) {
    if (!make_room(k_progress_max)) return false;
    write_progress(out_, user);
    if (user_states_[user].is_day_noted) write_day(out_, user);
    if (!user_states_[user].is_held_noted) continue;
    if (!make_room(k_held_busts_max)) return false;
    write_held(out_, user);
  }
  for (const std::uint32_t client : noted_states_) {
    if (!make_room(k_state_max)) return false;
    write_state(out_, client);
  }
  for (std::size_t left = busted_.unwritten(); left != 0; --left) {
    if (!make_room(k_entry_max)) return false;
    write_bust(out_, busted_.size() - left);
  }
  for (std::size_t left = unknown_trades_.unwritten(); left != 0; --left) {
    if (!make_room(k_entry_max)) return false;
    write_unknown_trade(out_, unknown_trades_.at(unknown_trades_.size() - left));
  }
  return true;
}

bool StateJournal::write(bool is_essential, const fix::MessageStore* received) {
  if (stores_ == nullptr) return true;
  const bool is_encoded = encode();
  if (is_encoded && out_.written().empty()) return true;
  if (!is_encoded || !write_piece(is_essential, received)) {
    is_behind_ = true;
    return false;
  }
  forget_changes();
  return true;
}

bool StateJournal::write_number(const fix::MessageStore* received) {
  if (stores_ == nullptr) return true;
  out_.clear();
  write_reserved(out_);
  return write_piece(false, received);
}

void StateJournal::carry() {
  if (stores_ == nullptr || !encode()) return;
  if (!out_.written().empty()) stores_->carry_state(out_.written());
}

void StateJournal::end_carry() {
  if (stores_ == nullptr) return;
  if (stores_->is_state_carried() && !out_.written().empty()) return forget_changes();
  stores_->carry_state({});
  if (!write(true)) ++counters_.unwritten;
}

std::uint64_t StateJournal::take_execution() noexcept {
  if (stores_ != nullptr && next_execution_ == reserved_) {
    reserved_ += k_reserve;
    std::array<std::byte, 32> room;
    EntryWriter out(room);
    write_reserved(out);
    if (!stores_->write_state(out.written(), true)) ++counters_.unwritten;
  }
  return next_execution_++;
}

// -------------------------------------------------------------------------------------------------------- checkpoints

void StateJournal::begin_checkpoint() {
  stage_ = Stage::clients;
  next_ = 0;
}

std::size_t StateJournal::write_checkpoint(Room room) {
  if (is_behind_) return write_behind(room);
  constexpr int k_looked_at = 512;  // slots may be empty
  EntryWriter out(room);
  for (int looked = 0; looked < k_looked_at && stage_ != Stage::done && write_next(out); ++looked) {
  }
  if (stage_ != Stage::done && out.written().empty()) write_reserved(out);
  return out.written().size();
}

/// What the journal had no room for comes first: an image of an order must not be there before what else belongs to it.
std::size_t StateJournal::write_behind(Room room) {
  const bool is_encoded = encode();
  const Bytes bytes = out_.written();
  if (!is_encoded || bytes.empty()) {
    EntryWriter out(room);
    write_reserved(out);
    return out.written().size();
  }
  std::ranges::copy(bytes, room.begin());
  forget_changes();
  return bytes.size();
}

/// The next entry of the checkpoint, or the next stage where this one has none left. False: it has no room here.
bool StateJournal::write_next(EntryWriter& out) {
  if (stage_ == Stage::done || !out.has_room(entry_room())) return false;
  if (stage_ == Stage::clients && next_ == 0) write_reserved(out);
  if (stage_ == Stage::ids) next_ = std::max(next_, std::as_const(records_).ids().past_begin());
  if (next_ == stage_end()) {
    stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
    next_ = 0;
    return true;
  }
  write_entry(out);
  ++next_;
  return true;
}

/// The most bytes that an entry of this stage takes, with what is written beside it.
std::size_t StateJournal::entry_room() const noexcept {
  switch (stage_) {
    case Stage::clients:
      return k_client_max + k_entry_max;
    case Stage::users:
      return k_user_max + k_progress_max + k_held_busts_max;
    case Stage::venues:
      return k_configured_max;
    case Stage::states:
      return k_state_max;
    case Stage::copies:
      return k_copied_entry_max;
    case Stage::orders:
      return k_whole_order_max;
    case Stage::requests:
      return k_whole_request_max;
    case Stage::symbols:
    case Stage::ids:
    case Stage::busts:
    case Stage::unknown_trades:
    case Stage::done:
      break;
  }
  static_assert(k_configured_symbol_max <= k_entry_max);
  return k_entry_max;
}

/// Where the places of this stage end.
std::size_t StateJournal::stage_end() const {
  const Records& records = records_;
  switch (stage_) {
    case Stage::clients:
    case Stage::states:
      return clients_.size();
    case Stage::users:
      return users_.size();
    case Stage::venues:
      return users_.venues();
    case Stage::symbols:
      return config_->symbols.size();
    case Stage::copies:
      return copies_ == nullptr ? 0 : copies_->positions();
    case Stage::orders:
      return records.order_capacity();
    case Stage::requests:
      return records.request_capacity();
    case Stage::ids:
      return records.ids().past_end();
    case Stage::busts:
      return busted_.size();
    case Stage::unknown_trades:
      return unknown_trades_.size();
    case Stage::done:
      break;
  }
  return 0;
}

/// What is at the next place, if anything.
void StateJournal::write_entry(EntryWriter& out) {
  const Records& records = records_;
  const auto at = static_cast<std::uint32_t>(next_);
  switch (stage_) {
    case Stage::clients:
      return write_client(out, at);
    case Stage::users:
      write_user(out, at);
      write_progress(out, at);
      write_day(out, at);
      return write_held(out, at);
    case Stage::venues:
      return write_venue(out, static_cast<std::uint8_t>(at));
    case Stage::symbols:
      return write_configured(out, config_->symbols[next_]);
    case Stage::states:
      return write_state(out, at);
    case Stage::copies:
      return write_copied(out, copies_->position(next_));
    case Stage::orders:
      if (records.has_order(at)) write_order(out, at);
      return;
    case Stage::requests:
      if (const Request& request = records.request_at(at); request.is_used) write_request(out, records, request);
      return;
    case Stage::ids: {
      const ClOrdIdRef id = records.ids().past_at(next_);
      return write_past_id(out, records.ids().key(id), records.ids().target(id));
    }
    case Stage::busts:
      return write_bust(out, next_);
    case Stage::unknown_trades:
      return write_unknown_trade(out, unknown_trades_.at(next_));
    case Stage::done:
      return;
  }
}

}  // namespace dojima::gateway
