#include "dojima/app/gateway/gateway_standby.hpp"

#include <chrono>
#include <fmt/core.h>
#include <stdexcept>
#include <utility>

#include "dojima/app/admin/admin_desk.hpp"
#include "dojima/app/admin/standby_admin.hpp"

namespace dojima::app {
namespace {

/// Records read before the loop looks at anything else: some milliseconds.
constexpr std::size_t k_step = 5000;
constexpr std::size_t k_standby_timers = 1;

AdminConfig desk_config(const GatewayConfig& config) {
  AdminConfig admin = config.admin;
  admin.port = config.standby.admin_port;
  return admin;
}

}  // namespace

std::expected<std::unique_ptr<GatewayStandby>, std::string> GatewayStandby::make(const GatewayConfig& config, Log log) {
  if (config.journal.directory.empty())
    return std::unexpected("a standby follows a journal: name the other gateway's directory, --follow DIR");
  auto follower = GatewayJournalFollower::begin(config);
  if (!follower) return std::unexpected(std::move(follower.error()));
  return std::unique_ptr<GatewayStandby>(new GatewayStandby(config, std::move(log), std::move(*follower)));
}

GatewayStandby::GatewayStandby(const GatewayConfig& config, Log log, std::unique_ptr<GatewayJournalFollower> follower)
    : config_(config),
      log_(std::move(log)),
      follower_(std::move(follower)),
      station_({.scheduler = k_standby_timers + AdminDesk::k_timers,
                .idle = net::IdlePolicy::block,
                .fabric = {.max_connections = 1}}),
      poll_(station_.scheduler(), *this) {
  if (config_.standby.admin_port < 0) return;
  admin_ = std::make_unique<StandbyAdmin>(*this, gauges_);
  desk_ = std::make_unique<AdminDesk>(desk_config(config_), *admin_, gauges_, station_.scheduler(), log_);
  station_.add(*desk_);
}

GatewayStandby::~GatewayStandby() {
  if (desk_ != nullptr) desk_->stop();
}

std::expected<void, std::string> GatewayStandby::start() {
  read_all_at_ = station_.scheduler().now();
  poll_.arm(read_all_at_);
  if (desk_ == nullptr) return {};
  const auto where = desk_->start([this] { station_.fabric().wake(); });
  if (!where) return std::unexpected(std::move(where.error()));
  watched_at_ = desk_->describe(*where);
  return {};
}

std::vector<std::string> GatewayStandby::describe() const {
  std::vector<std::string> lines{
      fmt::format("standby of the gateway on journal {}; takes over when that has ended", config_.journal.directory)};
  if (!watched_at_.empty()) lines.push_back(watched_at_);
  return lines;
}

/// Reads what has come, then looks whether the writer is gone.
void GatewayStandby::on_poll(time::Time now) {
  const auto read = follower_->step(k_step);
  if (!read) {
    failure_ = read.error();
    is_over_ = true;
    return;
  }
  if (*read < k_step) read_all_at_ = now;
  behind_ = now - read_all_at_;
  if (const std::string waits = follower_->waits_for(); waits != reported_) {
    reported_ = waits;
    log_(waits.empty() ? "the journal is followed again" : "the journal cannot be followed for now: " + waits);
  }
  taken_at_ = time::SystemClock().now();
  auto taken = follower_->take_over(log_);
  if (!taken) failure_ = std::move(taken.error());
  is_over_ = !taken || *taken != nullptr;
  if (taken) taken_ = std::move(*taken);
  if (!is_over_) poll_.arm(*read < k_step ? now + config_.standby.poll : now);
}

std::expected<std::unique_ptr<GatewayServer>, std::string> GatewayStandby::finish() {
  if (!failure_.empty()) return std::unexpected(failure_);
  if (taken_ == nullptr) return nullptr;
  if (desk_ != nullptr) desk_->stop();
  const time::Time begun = time::SystemClock().now();
  auto server = GatewayServer::make(config_, log_, std::move(taken_));
  if (!server) return server;
  const time::Time made = time::SystemClock().now();
  const auto ms = [](time::Duration took) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  };
  log_(fmt::format("takeover: journal {} ms, gateway made in {} ms", ms(begun - taken_at_), ms(made - begun)));
  (*server)->log_when_ready(taken_at_);
  return server;
}

}  // namespace dojima::app
