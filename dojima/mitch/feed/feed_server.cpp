#include "dojima/mitch/feed/feed_server.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "dojima/mitch/server/server_session.hpp"

namespace dojima::mitch {
namespace {

constexpr std::size_t k_smallest_unit = 128;

void check_server(const FeedServerConfig& config) {
  if (config.unit_size < k_smallest_unit || config.unit_size > k_unit_size_max)
    throw std::invalid_argument("a unit of a channel holds at least 128 bytes, and at most 65535");
  for (auto reader = config.readers.begin(); reader != config.readers.end(); ++reader) {
    const bool is_twice = std::any_of(config.readers.begin(), reader,
                                      [&](const FeedReader& other) { return other.comp_id == reader->comp_id; });
    if (reader->comp_id.is_empty() || is_twice)
      throw std::invalid_argument("every reader of a channel has a CompID of its own");
    if (!reader->password_kept.empty() && config.passwords == nullptr)
      throw std::invalid_argument("nobody compares what is kept of a reader's password");
  }
}

}  // namespace

FeedServer::Desk::Desk(FeedServerConfig of, sched::Scheduler& by, std::span<const PublishedFeed* const> what)
    : config(std::move(of)), scheduler(by), feeds(what.begin(), what.end()) {}

FeedServer::Desk::~Desk() = default;

void FeedServer::Desk::look_at_day(time::Time now) {
  const std::int64_t today = std::chrono::floor<std::chrono::days>(now + config.day_offset).time_since_epoch().count();
  if (std::exchange(day, today) == today) return;
  for (KnownReader& reader : readers) reader.logins = reader.requests = 0;
}

const PublishedFeed* FeedServer::Desk::find(char group) const noexcept {
  const auto found = std::ranges::find(feeds, group, &PublishedFeed::group);
  return found == feeds.end() ? nullptr : *found;
}

FeedServer::FeedServer(FeedServerConfig config, sched::Scheduler& scheduler,
                       std::span<const PublishedFeed* const> feeds)
    : desk_(std::make_unique<Desk>(std::move(config), scheduler, feeds)) {
  check_server(desk_->config);
  for (const FeedReader& reader : desk_->config.readers) desk_->readers.push_back({.reader = reader});
  for (std::size_t count = 0; count < desk_->config.connections; ++count) {
    desk_->sessions.push_back(std::make_unique<ServerSession>(*desk_, static_cast<std::uint32_t>(count)));
    desk_->free.push_back(desk_->sessions.back().get());
  }
}

FeedServer::~FeedServer() = default;

link::Connection* FeedServer::on_accept(const link::Address& peer) {
  if (desk_->free.empty()) {
    ++desk_->counts.connections_refused;
    return nullptr;
  }
  ++desk_->counts.connections;
  ServerSession* const session = desk_->free.back();
  desk_->free.pop_back();
  session->expect(peer);
  return session;
}

void FeedServer::set_available(bool is_available) noexcept {
  desk_->is_available = is_available;
}

void FeedServer::close_all() {
  for (const auto& session : desk_->sessions) session->close_if_open();
}

const FeedServerCounts& FeedServer::counts() const noexcept {
  return desk_->counts;
}

std::size_t FeedServer::connections() const noexcept {
  return desk_->sessions.size() - desk_->free.size();
}

std::size_t FeedServer::logged_in() const noexcept {
  return desk_->logged_in;
}

}  // namespace dojima::mitch
