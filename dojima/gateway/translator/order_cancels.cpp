#include "dojima/gateway/translator/order_cancels.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"

namespace dojima::gateway {
namespace {

constexpr std::uint32_t k_windows = std::chrono::seconds{1} / OrderCancels::k_window;
/// Until a connection that had no room is tried again.
constexpr std::chrono::milliseconds k_no_room{10};
constexpr std::string_view k_left_text = "the venue of some orders is not connected: these are not cancelled";

}  // namespace

OrderCancels::OrderCancels(const Parts& parts, std::size_t clients, std::uint32_t rate)
    : parts_(parts),
      window_rate_(rate == 0 ? 0 : std::max(rate / k_windows, 1U)),
      runs_(clients),
      paces_(parts.users.size()),
      sent_(k_remembered) {
  batch_.reserve(k_batch);
}

void OrderCancels::begin(std::uint32_t client, const Wanted& wanted, Time now) {
  if (runs_[client].is_on) finish(client, now);
  runs_[client] = {.wanted = wanted, .is_on = true};
  go_on(client, now);
}

/// False: no more for the user in this window.
bool OrderCancels::spend(std::uint32_t user, Time now) noexcept {
  if (window_rate_ == 0) return true;
  Pace& pace = paces_[user];
  if (pace.begin == Time::min() || now >= pace.begin + k_window) pace = {.begin = now, .used = 0};
  if (pace.used == window_rate_) return false;
  ++pace.used;
  return true;
}

/// Slots of the next requests whose orders are meant. When to go on behind them; Time::max(): there are no more.
Time OrderCancels::collect(std::uint32_t client, Time now) {
  const Records& records = parts_.records;
  Run& run = runs_[client];
  batch_.clear();
  for (std::uint32_t slot = records.first_request(client); slot != k_no_slot; slot = records.next_request(slot)) {
    const Request& request = records.request_at(slot);
    if (request.number >= run.wanted.below) break;
    if (request.number < run.next) continue;
    const Order& order = records.order_at(request.order);
    const bool is_named = order.current_request == request.number && is_open(order.state);
    const bool is_meant = (run.wanted.instrument == 0 || order.instrument == run.wanted.instrument) &&
                          (run.wanted.group == 0 || order.terms.group == run.wanted.group);
    const bool is_of_sub_id =
        run.wanted.sub_id.empty() || parts_.users.sub_id_of(client, order.user) == run.wanted.sub_id;
    if (!is_named || !is_meant || !is_of_sub_id) continue;
    if (!parts_.channels.is_venue_ready(order.user)) {
      run.has_left_some = true;
      continue;
    }
    if (batch_.size() == k_batch) return now;
    if (!spend(order.user, now)) return paces_[order.user].begin + k_window;
    batch_.push_back(slot);
  }
  return Time::max();
}

/// How many of the batch the connection took. Their numbers are in the journal before the first leaves.
std::size_t OrderCancels::send_batch(std::uint32_t client) {
  const std::size_t before = sent_count_;
  for (const std::uint32_t slot : batch_) {
    const std::optional<std::uint64_t> number = parts_.records.take_number();
    if (!number) break;
    const Request& request = std::as_const(parts_.records).request_at(slot);
    sent_[sent_count_++ % k_remembered] = {
        .number = *number,
        .mass = runs_[client].wanted.mass,
        .order = request.order,
        .generation = std::as_const(parts_.records).order_at(request.order).generation};
  }
  std::size_t taken = 0;
  const bool is_written = sent_count_ != before && parts_.journal.write_number(nullptr);
  while (is_written && before + taken != sent_count_) {
    const OrderCancel& each = sent_[(before + taken) % k_remembered];
    const Order& order = std::as_const(parts_.records).order_at(each.order);
    if (!parts_.channels.venue(order.user).send(cancel_command(each.number, order))) break;
    runs_[client].next = order.current_request + 1;
    ++taken;
  }
  sent_count_ = before + taken;
  return taken;
}

void OrderCancels::go_on(std::uint32_t client, Time now) {
  if (!runs_[client].is_on) return;
  const Time next = collect(client, now);
  const std::size_t taken = batch_.empty() ? 0 : send_batch(client);
  if (taken != batch_.size()) return parts_.channels.wake(client, now + k_no_room);
  if (next == Time::max()) return finish(client, now);
  parts_.channels.wake(client, next);
}

void OrderCancels::finish(std::uint32_t client, Time now) {
  constexpr int k_none = -1, k_other = 99;  // MassCancelRejectReason(532)
  const Wanted wanted = runs_[client].wanted;
  const bool has_left_some = runs_[client].has_left_some;
  runs_[client] = {};
  const MassCancelRequest* const mass = wanted.mass ? parts_.mass_cancels.find(*wanted.mass) : nullptr;
  if (mass == nullptr) return;
  fix::Writer writer = parts_.channels.begin(client, fix::type::k_order_mass_cancel_report);
  write_mass_cancel_report(writer, parts_.channels.form(client),
                           {.report_id = parts_.channels.next_exec_id(),
                            .cl_ord_id = mass->cl_ord_id.view(),
                            .type = mass->type.view(),
                            .reject_reason = has_left_some ? k_other : k_none,
                            .text = has_left_some ? k_left_text : std::string_view{},
                            .time = now});
  parts_.channels.send(client, writer);
  parts_.channels.flush_all();
}

const OrderCancel* OrderCancels::find(std::uint64_t number) const noexcept {
  const std::size_t count = std::min(sent_count_, k_remembered);
  std::size_t first = sent_count_ - count, last = sent_count_;
  while (first != last) {
    const std::size_t middle = first + (last - first) / 2;
    if (sent_[middle % k_remembered].number < number)
      first = middle + 1;
    else
      last = middle;
  }
  const OrderCancel& found = sent_[first % k_remembered];
  return first != sent_count_ && found.number == number ? &found : nullptr;
}

}  // namespace dojima::gateway
