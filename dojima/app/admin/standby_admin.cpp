#include "dojima/app/admin/standby_admin.hpp"

#include <array>
#include <chrono>
#include <fmt/core.h>

#include "dojima/app/gateway/gateway_standby.hpp"

namespace dojima::app {
namespace {

constexpr std::array<AdminVerb, 1> k_standby_verbs = {{
    {"status", "", "how far it has followed the gateway whose journal it reads", false},
}};
/// Open orders are counted in one of so many publications: all are looked at for it.
constexpr unsigned k_count_orders = 10;

double seconds(time::Duration duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

struct StandbyAdmin::Figures {
  explicit Figures(measure::GaugeBoard& board)
      : behind(board.gauge("dojima_standby_behind_seconds",
                           "For so long the journal has had records that are not read yet; 0: all are read")),
        record(board.gauge("dojima_standby_record", "The record of the journal that was read last")),
        sessions(board.gauge("dojima_standby_sessions", "FIX sessions that the journal knows")),
        messages(board.gauge("dojima_standby_messages", "Messages that the journal keeps for them")),
        open_orders(board.gauge("dojima_standby_open_orders", "Orders that are open")),
        restarts(board.counter("dojima_standby_restarts_total",
                               "How often all was read again, as records were removed before they were read")) {}
  measure::Gauge& behind;
  measure::Gauge& record;
  measure::Gauge& sessions;
  measure::Gauge& messages;
  measure::Gauge& open_orders;
  measure::Gauge& restarts;
};

StandbyAdmin::StandbyAdmin(const GatewayStandby& standby, measure::GaugeBoard& board)
    : standby_(standby), figures_(std::make_unique<Figures>(board)) {}

StandbyAdmin::~StandbyAdmin() = default;

std::span<const AdminVerb> StandbyAdmin::verbs() const {
  return k_standby_verbs;
}

void StandbyAdmin::publish(time::Time) {
  const GatewayJournalFollower& follower = standby_.follower();
  figures_->behind.set(seconds(standby_.behind()));
  figures_->record.set(follower.stores().last().value);
  figures_->restarts.set(follower.stores().restarts());
  figures_->sessions.set(std::uint64_t{follower.stores().sessions()});
  figures_->messages.set(std::uint64_t{follower.stores().messages()});
  if (published_++ % k_count_orders != 0) return;
  figures_->open_orders.set(std::uint64_t{follower.open_orders()});
}

std::string StandbyAdmin::waits_for() const {
  const std::string obstacle = standby_.follower().waits_for();
  return obstacle.empty() ? "it is a standby: another gateway has the journal"
                          : "it is a standby that cannot read on: " + obstacle;
}

AdminAnswer StandbyAdmin::on_command(std::span<const std::string>, time::Time) {
  const fix::StoresFollower& stores = standby_.follower().stores();
  AdminAnswer answer;
  answer.text = waits_for();
  answer.columns = {"what", "value"};
  answer.rows = {{"record read last", std::to_string(stores.last().value)},
                 {"seconds behind", fmt::format("{:.3f}", seconds(standby_.behind()))},
                 {"sessions", std::to_string(stores.sessions())},
                 {"messages", std::to_string(stores.messages())},
                 {"open orders", std::to_string(standby_.follower().open_orders())},
                 {"read again from the beginning", std::to_string(stores.restarts())}};
  return answer;
}

}  // namespace dojima::app
