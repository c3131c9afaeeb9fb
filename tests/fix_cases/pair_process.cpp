#include "tests/fix_cases/pair_process.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace dojima::pairs {

using namespace std::chrono_literals;

namespace {

/// Orders that the peer has not received: less than what a store keeps, or they would be gap-filled.
constexpr std::uint64_t k_backlog_most = 200;
constexpr time::Duration k_down_most = 200ms;

fix::JournalStoresOptions options_of(const Shape& shape) {
  return {.name = "pairs",
          .durability = shape.durability,
          .segment_bytes = std::size_t{1} << 15,
          .spare_segments = shape.has_faults ? 2U : 4U,
          // Nothing is to be lost, so also no message for which its receiver asks late: room for the numbers of all
          // that the other side says meanwhile.
          .disk_bytes = std::uint64_t{1} << 26,
          .largest_message = 1024,
          .messages_per_session = 2000,
          .messages = 8192,
          .sessions = 2};
}

fix::SessionConfig config_of(const Shape& shape, fix::Role role, fix::MessageLog* log) {
  fix::SessionConfig config = shape.config;
  config.role = role;
  config.sender_comp_id = role == fix::Role::initiator ? "CLIENT" : "VENUE";
  config.target_comp_id = role == fix::Role::initiator ? "VENUE" : "CLIENT";
  config.log = log;
  return config;
}

}  // namespace

Process::Process(Surroundings around, fix::Role role, std::uint64_t seed)
    : around_(around),
      role_(role),
      random_(seed),
      disk_({.seed = seed, .writes_back = around.shape.durability == journal::Durability::power}),
      restart_(around.scheduler, *this),
      work_(around.scheduler, *this),
      orders_(around.scheduler, *this),
      zombies_(around.scheduler, *this) {
  if (role == fix::Role::acceptor && !around.network.listen(k_venue, *this)) fail("nobody can listen");
  orders_.arm(around.scheduler.now());
}

Process::~Process() {
  if (stores_ != nullptr) stores_->journal().abandon();
}

void Process::fail(std::string what) {
  if (around_.failure.empty())
    around_.failure = (role_ == fix::Role::initiator ? "initiator: " : "acceptor: ") + std::move(what);
}

// ----------------------------------------------------------------------------------------------------- its beginning

void Process::start(Time now) {
  disk_.restart();
  // One in eight ends while it begins.
  const bool loses_power = around_.shape.durability == journal::Durability::power && random_.one_in(2);
  if (orders_most_ != 0 && random_.one_in(16)) fuse_.light(1 + random_.below(60), loses_power);
  if (orders_most_ != 0 && random_.one_in(16)) disk_.end_process_at(1 + random_.below(60));
  if (!open_stores()) return clear(now);
  const fix::SessionConfig config = config_of(around_.shape, role_, around_.log);
  const auto store = stores_->store({config.begin_string, config.sender_comp_id, config.target_comp_id});
  if (!store) return clear(now);
  const bool keeps_all = around_.shape.durability == journal::Durability::process;
  const std::string wrong = ledger_.begin_life((*store)->next_incoming().value, promised_) +
                            ledger_.reconcile(**store, peer_->seen(), keeps_all);
  if (!wrong.empty()) return fail(wrong);
  promises_.clear();
  session_ = std::make_unique<fix::Session>(around_.scheduler, config, static_cast<fix::Handler&>(*this), **store);
  if (role_ == fix::Role::initiator) {
    initiator_ = std::make_unique<fix::Initiator>(
        around_.scheduler, static_cast<link::Fabric&>(*this), *session_,
        fix::InitiatorOptions{.hosts = {k_venue}, .delay = 10ms, .delay_max = 100ms, .seed = random_.draw()});
    initiator_->start(now);
  } else {
    acceptor_ = std::make_unique<fix::SessionAcceptor>(
        around_.scheduler, fix::SessionAcceptorOptions{
                               .links = 8, .unknown_links = 8, .probe_timeout = 100ms, .max_body = config.max_body});
    acceptor_->add(*session_);
  }
}

bool Process::open_stores() {
  auto opened = fix::JournalStores::open(disk_, options_of(around_.shape));
  if (opened) {
    stores_ = std::move(*opened);
    start_trouble_.clear();
    return !fuse_.has_burnt();
  }
  ++counts_.failed_starts;
  const journal::Trouble& trouble = opened.error();
  start_trouble_ = trouble.what + " (" + trouble.place.file + " at " + std::to_string(trouble.place.offset) +
                   ", record " + std::to_string(trouble.place.sequence.value) + "): " + trouble.advice;
  if (disk_.has_power() && !around_.shape.has_faults) fail("the store does not open: " + start_trouble_);
  return false;
}

void Process::on_restart(Time now) {
  if (!is_up()) start(now);
}

// ----------------------------------------------------------------------------------------------------------- its end

void Process::kill() {
  if (!is_up()) return;
  const bool loses_power = around_.shape.durability == journal::Durability::power && random_.one_in(2);
  switch (random_.below(4)) {
    case 0:
      fuse_.light(1, loses_power);
      fuse_.burn();
      break;
    case 1:
      if (loses_power)
        disk_.lose_power_at(1 + random_.below(12));
      else
        disk_.end_process_at(1 + random_.below(12));
      break;
    default:
      fuse_.light(1 + random_.below(80), loses_power);
      break;
  }
}

void Process::shut_down(Time now) {
  if (!is_up() || fuse_.has_burnt()) return;
  const std::uint64_t due = session_->next_incoming().value;
  for (const auto& wire : wires_) {
    if (!wire->is_of(fuse_)) continue;
    wire->abandon();
    wire->end();
  }
  initiator_.reset();
  acceptor_.reset();
  session_.reset();
  if (stores_->journal().close() && !around_.shape.has_faults) promised_ = due;
  clear(now);
}

/// What the peer sees: the end of the stream behind what was sent, a broken one, or nothing for a while.
void Process::bury(Time now) {
  ++counts_.deaths;
  for (const auto& wire : wires_) {
    if (!wire->is_of(fuse_)) continue;
    wire->abandon();
    const std::uint64_t kind = random_.below(3);
    if (kind == 0) wire->end();
    if (kind == 1) around_.network.cut(*wire);
  }
  zombies_.arm(now + random_.within(3s));
  if (!around_.shape.has_faults && stores_ != nullptr) {
    const journal::Sequence durable = stores_->journal().durable();
    for (const Promise& promise : promises_)
      if (promise.record <= durable) promised_ = std::max(promised_, promise.due);
  }
  clear(now);
}

void Process::clear(Time now) {
  initiator_.reset();
  acceptor_.reset();
  session_.reset();
  if (stores_ != nullptr) stores_->journal().abandon();
  stores_.reset();
  fuse_.light(0, false);
  work_.disarm();
  worked_ = {};
  restart_.arm(now + random_.within(k_down_most));
}

void Process::on_zombies(Time) {
  for (const auto& wire : wires_)
    if (wire->is_used() && !wire->is_of(fuse_)) around_.network.cut(*wire);
}

// -------------------------------------------------------------------------------------------------- its disk and loop

void Process::trouble_disk() {
  switch (random_.below(4)) {
    case 0:
      disk_.fail_writes(random_.any({EIO, EROFS, ENOSPC}));
      break;
    case 1:
      disk_.set_capacity(0);
      break;
    default:
      disk_.fail_at(1 + random_.below(20), random_.any({EIO, ENOSPC}));
      break;
  }
}

void Process::heal() {
  disk_.fail_writes(0);
  disk_.set_capacity(std::uint64_t{1} << 30);
}

void Process::spare() {
  heal();
  pause(false);
  fuse_.light(0, false);
  disk_.fail_at(0, 0);
  disk_.lose_power_at(0);
  disk_.end_process_at(0);
}

void Process::on_work(Time now) {
  if (!is_up() || fuse_.has_burnt()) return;
  journal::FileJournal& journal = stores_->journal();
  unsigned steps = 0;
  while (steps < 8 && journal.work()) ++steps;
  worked_ = journal.last();
  if (steps == 8 || journal.durable() < worked_ || journal.trouble())
    work_.arm(now + 10us + random_.within(around_.shape.worker_delay));
}

std::string Process::condition() const {
  if (!is_up()) return "down: " + start_trouble_;
  const journal::FileJournal& journal = stores_->journal();
  return "up, " + std::to_string(journal.sure_room(false)) + " bytes of room in its journal, of which " +
         std::to_string(stores_->room_kept()) + " are kept" + (stores_->is_short_of_room() ? ", short of it" : "") +
         (journal.trouble() ? ", which cannot write" : "") + (session_->is_connected() ? ", connected" : "") +
         (session_->is_blocked() ? ", blocked" : "");
}

void Process::note_promise() {
  if (around_.shape.has_faults) return;
  const journal::Sequence durable = stores_->journal().durable();
  while (promises_.size() > 1 && promises_[1].record <= durable) promises_.pop_front();
  const std::uint64_t due = session_->next_incoming().value;
  if (promises_.empty() || promises_.back().due != due)
    promises_.push_back({.record = stores_->journal().last(), .due = due});
}

void Process::finish_instant(Time now) {
  if (!is_up()) return;
  if (!fuse_.has_burnt()) {
    seen_ = std::max(seen_, session_->next_incoming().value - 1);
    note_promise();
    stores_->deliver();
    // A thread looks again and again; here it has to, also where nothing was written, while somebody waits for room.
    const bool is_written = stores_->journal().last() != worked_;
    if ((is_written || stores_->is_short_of_room()) && !work_.is_armed())
      work_.arm(now + (is_written ? 0us : 10us) + random_.within(around_.shape.worker_delay));
  }
  if (fuse_.has_burnt()) bury(now);
}

// ------------------------------------------------------------------------------------------------------- the network

Wire& Process::free_wire() {
  const auto found = std::ranges::find_if(wires_, [](const auto& wire) { return !wire->is_used(); });
  if (found != wires_.end()) return **found;
  return *wires_.emplace_back(std::make_unique<Wire>(around_.shape.damage_stride));
}

void Process::connect(const link::Address& address, link::Connection& connection) {
  if (fuse_.burn()) return;
  Wire& wire = free_wire();
  wire.take(connection, fuse_);
  around_.network.connect(address, wire);
}

Result<link::Address> Process::listen(const link::Address& address, link::Acceptor& acceptor) {
  return around_.network.listen(address, acceptor);
}

link::Connection* Process::on_accept(const link::Address& peer) {
  if (!is_up() || fuse_.burn()) return nullptr;
  link::Connection* const connection = acceptor_->on_accept(peer);
  if (connection == nullptr) return nullptr;
  Wire& wire = free_wire();
  wire.take(*connection, fuse_);
  return &wire;
}

void Process::cut() {
  for (const auto& wire : wires_)
    if (wire->is_of(fuse_)) around_.network.cut(*wire);
}

void Process::pause(bool is_paused) {
  for (const auto& wire : wires_) {
    if (!wire->is_of(fuse_)) continue;
    if (is_paused)
      around_.network.pause(*wire);
    else
      around_.network.resume(*wire);
  }
}

// --------------------------------------------------------------------------------------------------- the application

void Process::log_out() {
  if (is_up() && !fuse_.burn()) session_->logout("a pause");
}

void Process::on_orders(Time now) {
  const std::uint64_t burst = 1 + random_.below(8);
  for (std::uint64_t order = 0; order < burst && is_up() && !fuse_.has_burnt(); ++order) send_order(now);
  orders_.arm(now + (ledger_.handed() < orders_most_ ? random_.within(1ms) : 20ms));
}

void Process::send_order(Time now) {
  const std::uint64_t handed = ledger_.handed(), received = peer_->ledger().received();
  if (received > handed) return fail("the peer has received more than was sent");
  if (handed >= orders_most_ || handed - received >= k_backlog_most || fuse_.burn()) return;
  fix::Writer order = session_->begin(fix::type::k_new_order_single);
  const std::uint64_t number = session_->next_outgoing().value;
  const std::uint64_t count = ledger_.intend(number);
  if (fuse_.burn()) return;
  order.field(fix::tag::k_cl_ord_id, count).field(fix::tag::k_handl_inst, '1').field(fix::tag::k_order_qty, 100);
  order.field(fix::tag::k_ord_type, '1').field(fix::tag::k_side, '1').field(fix::tag::k_symbol, "RICE");
  order.field(fix::tag::k_transact_time, now);
  const Result<market::Sequence> sent = session_->send(order);
  if (fuse_.has_burnt()) return;  // whether the session has it, the store will say
  if (!sent) {
    ledger_.withdraw();
    ++counts_.refusals;
    if (!around_.shape.has_faults) fail("an order was refused by the session");
    return;
  }
  ledger_.confirm();
  if (sent->value != number) fail("an order was sent under another number");
  fuse_.burn();
}

void Process::on_logon(fix::Session&, Time) {
  ++counts_.logons;
  fuse_.burn();
}
void Process::on_logout(fix::Session&, std::string_view, Time) {
  fuse_.burn();
}

void Process::on_message(fix::Session& session, const fix::MessageView& message, Time now) {
  if (fuse_.burn()) return;
  const Numbered entry{.order = static_cast<std::uint64_t>(message.integer(fix::tag::k_cl_ord_id).value_or(0)),
                       .number = message.msg_seq_num()->value};
  if (entry.number != session.next_incoming().value) fail("a message is handed over that is not due");
  note_promise();
  if (const std::string wrong = ledger_.receive(entry, message.is_set(fix::tag::k_poss_dup_flag)); !wrong.empty())
    fail(wrong);
  seen_ = std::max(seen_, entry.number);
  if (!fuse_.burn() && random_.one_in(8)) send_order(now);
}

void Process::on_reject(fix::Session&, const fix::MessageView& reject, Time) {
  if (!fuse_.has_burnt()) fail("rejected: " + std::string(reject.find(fix::tag::k_text).value_or("?")));
}

void Process::on_trouble(fix::Session&, const Error&) {
  ++counts_.troubles;
}

}  // namespace dojima::pairs
