#include "dojima/app/feed/feed_session.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <system_error>
#include <utility>

#include "dojima/app/feed/feed_config.hpp"
#include "dojima/base/splitmix.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

/// From the end that is asked for to the first instant at which nothing is missing; without a channel there is only the
/// other line to wait for.
constexpr std::chrono::seconds k_settles{2};
constexpr std::chrono::milliseconds k_lines_settle{100};

std::vector<mitch::DisplayedOrder> shown_orders(const mitch::BookView& book, market::Side side) {
  std::vector<mitch::DisplayedOrder> orders;
  book.each_order(side, [&orders](const mitch::DisplayedOrder& order) { orders.push_back(order); });
  return orders;
}

/// What is different between the books of a group; empty: nothing.
std::string difference(const mitch::BookBuilder& ours, const mitch::BookBuilder& theirs) {
  if (ours.order_count() != theirs.order_count())
    return fmt::format("{} orders on display, and {}", ours.order_count(), theirs.order_count());
  std::string different;
  theirs.each_book([&](const mitch::BookView& book) {
    const auto own = ours.find(book.instrument());
    for (const market::Side side : {market::Side::buy, market::Side::sell})
      if (different.empty() && (!own || shown_orders(*own, side) != shown_orders(book, side)))
        different = fmt::format("the book of instrument {}", book.instrument());
  });
  return different;
}

mitch::FeedClientOptions control_options(const FeedSessionOptions& session) {
  mitch::FeedClientOptions options = session.client;
  options.patience *= 20;  // what the lines bring comes at once
  if (session.control_user.empty()) return options;
  options.user = session.control_user;
  options.password = session.control_password;
  return options;
}

}  // namespace

/// Drops some datagrams of a line, and passes the others on; the control gets all.
class FeedSession::Filter final : public link::DatagramReceiver {
 public:
  Filter(link::DatagramReceiver& to, link::DatagramReceiver* control, std::uint32_t ppm, std::uint64_t seed)
      : to_(to), control_(control), ppm_(ppm), random_(seed) {}

  void on_datagram(Bytes datagram, time::Time now) override {
    if (is_over) return;
    if (control_ != nullptr) control_->on_datagram(datagram, now);
    if (ppm_ != 0 && draw() % 1'000'000 < ppm_)
      ++dropped;
    else
      to_.on_datagram(datagram, now);
  }
  std::uint64_t dropped = 0;
  bool is_over = false;  // what still comes is for nobody

 private:
  std::uint64_t draw() noexcept { return splitmix64(random_); }

  link::DatagramReceiver& to_;
  link::DatagramReceiver* control_;
  std::uint32_t ppm_;
  std::uint64_t random_;
};

struct FeedSession::Silent final : mitch::FeedHandler {
  void on_notice(const mitch::FeedNotice&, time::Time) override {}
};

FeedSession::FeedSession(FeedSessionOptions options, mitch::FeedHandler& handler)
    : options_(std::move(options)),
      station_({.scheduler = 1 + 2 * mitch::FeedClient::timers(options_.client),
                .idle = options_.idle,
                .fabric = {.max_connections = 8, .multicast_interface = options_.interface}}),
      silent_(std::make_unique<Silent>()),
      client_(std::make_unique<mitch::FeedClient>(options_.client, station_.scheduler(), &station_.fabric(), handler)),
      show_timer_(station_.scheduler(), *this) {
  if (options_.drop_ppm != 0)
    control_ = std::make_unique<mitch::FeedClient>(control_options(options_), station_.scheduler(), &station_.fabric(),
                                                   *silent_);
  for (std::size_t line = 0; line < mitch::FeedClient::k_lines; ++line)
    filters_.push_back(std::make_unique<Filter>(client_->line(line), control_ ? &control_->line(line) : nullptr,
                                                options_.drop_ppm, options_.seed * 2 + line));
}

FeedSession::~FeedSession() = default;

std::expected<void, std::string> FeedSession::subscribe(const char* option, const std::string& line,
                                                        link::DatagramReceiver& receiver) {
  if (line.empty()) return {};
  const auto address = net::parse_address(line);
  if (!address) return std::unexpected(fmt::format("{} {}: write {}", option, line, address.error().expected));
  const auto where = station_.fabric().subscribe(*address, receiver);
  if (where) return {};
  const std::string why = std::system_category().message(static_cast<int>(where.error().got));
  if (is_multicast(*address))
    return std::unexpected(fmt::format("{} {}: cannot join the group by {}: {}; name another --interface", option, line,
                                       options_.interface, why));
  return std::unexpected(
      fmt::format("{} {}: {}; an address has one receiver, a multicast group (239.255.0.0 to 239.255.255.255) many",
                  option, line, why));
}

std::expected<void, std::string> FeedSession::start() {
  if (auto a = subscribe("--line-a", options_.line_a, *filters_[0]); !a) return a;
  if (auto b = subscribe("--line-b", options_.line_b, *filters_[1]); !b) return b;
  const time::Time now = station_.scheduler().now();
  client_->start(now);
  if (control_) control_->start(now);
  return {};
}

void FeedSession::run(const std::function<bool()>& goes_on, time::Duration interval,
                      const std::function<void(time::Time)>& show) {
  interval_ = interval;
  show_ = show;
  show_timer_.arm(station_.scheduler().now() + interval);
  station_.run(goes_on);
  // Nobody closes a gap for a client that has been stopped: it goes on until nothing is missing, as long as that may
  // take. A venue that is gone closes none.
  const bool has_channel = options_.client.replay || options_.client.recovery;
  station_.run_at_most(has_channel ? time::Duration{k_settles} : time::Duration{k_lines_settle},
                       [this] { return !is_whole() && !is_gone(); });
  show_timer_.disarm();
  for (const auto& filter : filters_) filter->is_over = true;
  client_->stop();
  if (control_) control_->stop();
  station_.run_at_most(std::chrono::milliseconds{500}, [&] { return station_.fabric().open_connections() != 0; });
}

void FeedSession::on_show(time::Time now) {
  show_timer_.arm(now + interval_);
  compare();
  show_(now);
}

bool FeedSession::is_whole() const {
  return std::ranges::all_of(client_->groups(), [this](char group) {
    return client_->is_live(group) &&
           (!control_ || (control_->is_live(group) && client_->next(group) == control_->next(group)));
  });
}

bool FeedSession::is_gone() const {
  return client_->is_line_lost(0) && client_->is_line_lost(1);
}

bool FeedSession::compare() {
  if (!control_ || client_->groups().empty() || !is_whole()) return false;
  ++comparison_.compared;
  std::string different;
  for (const char group : client_->groups())
    if (different.empty()) different = difference(*client_->books(group), *control_->books(group));
  if (different.empty()) return true;
  ++comparison_.different;
  if (comparison_.first.empty()) comparison_.first = different;
  return true;
}

std::uint64_t FeedSession::dropped() const noexcept {
  std::uint64_t count = 0;
  for (const auto& filter : filters_) count += filter->dropped;
  return count;
}

}  // namespace dojima::app
