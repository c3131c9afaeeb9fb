#include "dojima/app/demo/killed/killer.hpp"

#include <chrono>
#include <fmt/core.h>

namespace dojima::app::demo {
namespace {

constexpr std::int64_t k_down_least_ms = 20, k_down_more_ms = 200;

double milliseconds_of(time::Duration duration) noexcept {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

void Killer::begin(time::Time now) {
  flow_begin_ = now;
  plan_next();
}

void Killer::plan_next() {
  const auto planned = static_cast<double>(kills_.size() + 1) / (settings_.kills + 1);
  next_ = flow_begin_ + time::Duration{static_cast<std::int64_t>(settings_.seconds * planned * 1e9)};
}

ServerProcess& Killer::victim() {
  if (!settings_.kills_venue) return servers_.gateway();
  if (!settings_.kills_gateway) return servers_.venue();
  return kills_.size() % 2 == 0 ? servers_.gateway() : servers_.venue();
}

void Killer::look_after(time::Time now) {
  for (ServerProcess* server : {&servers_.gateway(), &servers_.venue()})
    if (server->has_ended())
      failure_ = fmt::format("the {} has ended by itself:\n{}", server->name(), server->output());
  if (down_ == nullptr) return;
  if (down_->is_dead()) {
    if (now < start_at_) return;
    down_->start();
    kills_.back().down_ms = milliseconds_of(now - killed_at_);
    start_at_ = now;
  } else if (down_->is_ready()) {
    kills_.back().back_ms = milliseconds_of(now - start_at_);
    down_ = nullptr;
  } else if (now - start_at_ > Servers::k_start_patience) {
    failure_ = fmt::format("the {} does not come back:\n{}", down_->name(), down_->output());
  }
}

void Killer::kill_if_due(time::Time now) {
  const bool is_due =
      kills_.size() < settings_.kills && down_ == nullptr && flow_begin_ != time::Time{} && now >= next_;
  if (!is_due) return;
  down_ = &victim();
  down_->kill();
  killed_at_ = now;
  start_at_ = now + std::chrono::milliseconds{k_down_least_ms + static_cast<std::int64_t>(random_() % k_down_more_ms)};
  kills_.push_back({.at_s = milliseconds_of(now - flow_begin_) / 1e3, .process = down_->name()});
  plan_next();
}

}  // namespace dojima::app::demo
