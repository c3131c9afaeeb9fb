// Orders and cancels of one member over loopback TCP, so many in flight: a venue on a thread of its own, and a socket
// that answers each message with as many bytes as a report has.

#include "bench/venue/road_table.hpp"

#include "bench/gateway/server_thread.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fmt/core.h>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/mit/lse_21_2.hpp"
#include "dojima/mit/session_base.hpp"
#include "dojima/net/address.hpp"
#include "dojima/net/idle.hpp"

namespace dojima::bench_venue {
namespace {

using bench::ServerControl;
using bench::ServerThread;
using bench::ThreadUse;
using SteadyClock = std::chrono::steady_clock;

const mit::Dialect& road_dialect() {
  return mit::lse_21_2::k_dialect;
}
constexpr std::size_t k_answer_size = mit::lse_21_2::ExecutionReport::k_size;
constexpr const char* k_user = "MEMBER";
constexpr const char* k_password = "rice";
constexpr int k_patience_ms = 50;   // of a server that sleeps, until it looks whether to end
constexpr std::size_t k_kept = 64;  // orders that rest before the first is cancelled

void set_no_delay(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

sockaddr_in at_loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

app::VenueConfig road_venue(net::IdlePolicy idle, std::int32_t admin_port) {
  app::VenueConfig config = app::default_venue();
  config.listen.port = 0;
  config.admin.port = admin_port;
  config.idle = idle;
  config.heartbeat_ms = 60'000;  // none in the middle of a batch
  config.users = {{.name = k_user, .password = k_password, .account = {}, .cancel_on_disconnect = false}};
  return config;
}

/// `metrics`, where it is not null, gets the address of the figures, before the port is set.
void serve_road_venue(ServerControl& control, net::IdlePolicy idle, link::Address* metrics) {
  auto server = app::VenueServer::make(road_venue(idle, metrics == nullptr ? -1 : 0));
  if (!server) throw std::runtime_error(server.error());
  const auto where = (*server)->start();
  if (!where) throw std::runtime_error(where.error());
  constexpr std::string_view k_begin = "admin and metrics http://";
  for (const std::string& line : (*server)->describe(*where))
    if (metrics != nullptr && line.starts_with(k_begin))
      *metrics = net::parse_address(line.substr(k_begin.size(), line.find(',') - k_begin.size())).value();
  control.port = where->port;
  (*server)->run([&] { return control.ends_turn(!net::sleeps(idle)); });
}

/// Answers every message that has come with the bytes of a report, all that came at once with one call.
void serve_echo(ServerControl& control, net::IdlePolicy idle) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0), set = ::epoll_create1(0);
  sockaddr_in address = at_loopback(0);
  socklen_t size = sizeof address;
  if (listener < 0 || set < 0 || ::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener, 1) != 0 || ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("the echo cannot listen");
  control.port = ntohs(address.sin_port);
  const int peer = ::accept(listener, nullptr, nullptr);
  set_no_delay(peer);
  epoll_event event{.events = EPOLLIN, .data = {.fd = peer}};
  ::epoll_ctl(set, EPOLL_CTL_ADD, peer, &event);
  std::vector<std::byte> in(1 << 16);
  const std::vector<char> out(in.size() / mit::k_header_size * 8, 'a');
  std::size_t held = 0;
  const bool is_busy = !net::sleeps(idle);
  do {
    epoll_event ready{};
    if (::epoll_wait(set, &ready, 1, is_busy ? 0 : k_patience_ms) <= 0) {
      if (idle == net::IdlePolicy::yield) ::sched_yield();
      continue;
    }
    const ssize_t came = ::recv(peer, in.data() + held, in.size() - held, MSG_DONTWAIT);
    if (came == 0) break;
    if (came < 0) continue;
    held += static_cast<std::size_t>(came);
    std::size_t used = 0, answers = 0;
    while (const std::size_t one = mit::whole_message(Bytes(in).first(held).subspan(used), road_dialect().longest)) {
      used += one;
      ++answers;
    }
    std::copy(in.begin() + static_cast<std::ptrdiff_t>(used), in.begin() + static_cast<std::ptrdiff_t>(held),
              in.begin());
    held -= used;
    for (std::size_t left = answers * k_answer_size; left != 0;) {
      const ssize_t sent = ::send(peer, out.data(), std::min(left, out.size()), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return;
      if (sent > 0) left -= static_cast<std::size_t>(sent);
    }
  } while (!control.ends_turn(is_busy));
  for (const int one : {peer, set, listener}) ::close(one);
}

/// A member with a socket and no thread, which never sleeps: orders that rest far from each other, and cancels of those
/// that came before, each answered by one report.
class Member {
 public:
  explicit Member(std::uint16_t port, bool is_session) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in address = at_loopback(port);
    if (socket_ < 0 || ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("nobody takes the connection");
    set_no_delay(socket_);
    if (!is_session) return;
    std::array<std::byte, 256> room{};
    const auto logon = road_dialect().encode_logon({Text<25>::cut(k_user), Text<25>::cut(k_password), {}}, Room(room));
    send_all(Bytes(room).first(logon.value()));
    while (messages_ == 0) look();
  }
  ~Member() { ::close(socket_); }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  /// Sends and takes `count` more, with `window` without an answer at most; `took_us` gets the time of each where it is
  /// not null. What there is room for leaves with one call.
  void exchange(std::size_t count, std::size_t window, std::vector<double>* took_us) {
    const std::uint64_t first = messages_;
    std::size_t sent = 0;
    SteadyClock::time_point began{};
    const SteadyClock::time_point last = SteadyClock::now() + std::chrono::seconds{60};
    while (messages_ - first < count) {
      const std::size_t waiting = sent - static_cast<std::size_t>(messages_ - first);
      if (const std::size_t more = std::min(window - waiting, count - sent); more != 0 && waiting <= window / 2) {
        out_.clear();
        for (std::size_t each = 0; each < more; ++each) add_request();
        began = SteadyClock::now();
        send_all(out_);
        sent += more;
      }
      const std::uint64_t before = messages_;
      look();
      if (took_us != nullptr && messages_ != before)
        took_us->push_back(std::chrono::duration<double, std::micro>(SteadyClock::now() - began).count());
      if (SteadyClock::now() > last) throw std::runtime_error("requests without an answer");
    }
  }

 private:
  void add_request() {
    std::array<std::byte, 256> room{};
    const std::uint64_t number = requests_++;
    const bool is_cancel = number >= k_kept && number % 2 == 1;
    const Result<std::size_t> size = is_cancel ? encode_cancel(room) : encode_order(room);
    out_.insert(out_.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size.value()));
  }
  Result<std::size_t> encode_order(Room room) {
    market::NewOrder order;
    order.header.instrument = 1001;
    order.labels.client_order_id = id_of('O', entered_++);
    order.labels.clearing = 1;
    order.labels.executing_trader = 3;
    order.terms.side = market::Side::buy;
    order.terms.limit = {(static_cast<std::int64_t>(entered_ % 32) + 1) * market::k_price_scale};
    order.terms.quantity = order.terms.displayed = {100};
    order.terms.type = market::OrderType::limit;
    order.terms.capacity = market::Capacity::dealing;
    return road_dialect().encode_new_order(order, room);
  }
  Result<std::size_t> encode_cancel(Room room) {
    market::Cancel cancel;
    cancel.header.instrument = 1001;
    cancel.client_order_id = id_of('C', cancelled_);
    cancel.original_client_order_id = id_of('O', cancelled_++);
    cancel.side = market::Side::buy;
    return road_dialect().encode_cancel(cancel, room);
  }
  static Text<20> id_of(char kind, std::uint64_t number) {
    std::array<char, 20> text{kind};
    const auto end = fmt::format_to_n(text.data() + 1, text.size() - 1, "{:010}", number).out;
    return Text<20>::cut({text.data(), static_cast<std::size_t>(end - text.data())});
  }

  void send_all(Bytes bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0)
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
      else if (errno == EAGAIN)
        look();  // both sides may be full
      else
        throw std::runtime_error("the connection is gone");
    }
  }
  /// Takes what has come.
  void look() {
    const ssize_t came = ::recv(socket_, in_.data() + held_, in_.size() - held_, MSG_DONTWAIT);
    if (came == 0) throw std::runtime_error("the connection was closed");
    if (came < 0) return;
    held_ += static_cast<std::size_t>(came);
    if (is_echo_) {
      messages_ += held_ / k_answer_size;
      held_ %= k_answer_size;
      return;
    }
    std::size_t used = 0;
    while (const std::size_t one = mit::whole_message(Bytes(in_).first(held_).subspan(used), road_dialect().longest)) {
      const bool is_session_message = one != k_answer_size && messages_ != 0;
      if (is_session_message) throw std::runtime_error(fmt::format("an answer of {} bytes", one));
      ++messages_;
      used += one;
    }
    std::copy(in_.begin() + static_cast<std::ptrdiff_t>(used), in_.begin() + static_cast<std::ptrdiff_t>(held_),
              in_.begin());
    held_ -= used;
  }

 public:
  /// Answers are bytes without a meaning.
  void take_echoes() { is_echo_ = true; }

 private:
  int socket_;
  bool is_echo_ = false;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_ = std::vector<std::byte>(1 << 18);
  std::size_t held_ = 0;
  std::uint64_t messages_ = 0;  // that have come
  std::uint64_t requests_ = 0, entered_ = 0, cancelled_ = 0;
};

class Exchanging final : public harness::Competitor {
 public:
  Exchanging(bool is_venue, net::IdlePolicy idle, std::size_t window)
      : server_([=](ServerControl& control) {
          is_venue ? serve_road_venue(control, idle, nullptr) : serve_echo(control, idle);
        }),
        member_(server_.port(), is_venue),
        window_(window),
        count_(window == 1 ? 1'000 : std::max<std::size_t>(8'192, 8 * window)) {
    if (!is_venue) member_.take_echoes();
    took_us_.reserve(count_);
  }

  void prepare() override {
    server_.set_measured(true);
    member_.exchange(window_, window_, nullptr);
    before_ = server_.use();
    took_us_.clear();
  }
  harness::Operations run() override {
    member_.exchange(count_, window_, window_ == 1 ? &took_us_ : nullptr);
    const ThreadUse used = server_.use() - before_;
    server_.set_measured(false);
    const auto each = [this](std::uint64_t count) { return static_cast<double>(count) / static_cast<double>(count_); };
    harness::Operations done;
    done.add("", count_)
        .figure("server_calls", each(used.calls))
        .figure("server_empty_calls", each(used.empty_calls))
        .figure("server_cpu_us", each(used.processor_ns) / 1000);
    if (took_us_.empty()) return done;
    std::ranges::sort(took_us_);
    return done.figure("p50_us", took_us_[took_us_.size() / 2]).figure("p99_us", took_us_[took_us_.size() * 99 / 100]);
  }

 private:
  ServerThread server_;
  Member member_;
  std::size_t window_, count_;
  std::vector<double> took_us_;
  ThreadUse before_;
};

/// Asks for the figures every 100 ms while it is measured, beginning 10 ms after that.
void scrape(ServerControl& control, const app::AdminServer& venue, std::atomic<std::uint64_t>& scrapes) {
  using namespace std::chrono_literals;
  control.port = 1;  // it listens nowhere, but has begun
  SteadyClock::time_point next{};
  for (bool was_measured = false; !control.is_stopped; std::this_thread::sleep_for(1ms)) {
    const bool is_measured = control.is_measured;
    const SteadyClock::time_point now = SteadyClock::now();
    if (is_measured && !was_measured) next = now + 10ms;
    was_measured = is_measured;
    if (!is_measured || now < next) continue;
    const auto page = app::page_of(venue, "/metrics");
    if (!page || !page->is_good) throw std::runtime_error("/metrics: " + (page ? page->text : page.error()));
    ++scrapes;
    next += 100ms;
  }
}

/// One request at a time at a venue with /metrics, for a fixed time, which somebody asks for, or nobody.
class Scraped final : public harness::Competitor {
 public:
  Scraped(bool is_scraped, net::IdlePolicy idle)
      : server_([this, idle](ServerControl& control) { serve_road_venue(control, idle, &metrics_.address); }),
        member_(server_.port(), true) {
    if (is_scraped) scraper_.emplace([this](ServerControl& control) { scrape(control, metrics_, scrapes_); });
    took_us_.reserve(1 << 16);
  }

  void prepare() override {
    server_.set_measured(true);
    member_.exchange(64, 1, nullptr);
    took_us_.clear();
    before_ = scrapes_;
    if (scraper_) scraper_->set_measured(true);
  }
  harness::Operations run() override {
    const SteadyClock::time_point end = SteadyClock::now() + k_batch;
    while (SteadyClock::now() < end) member_.exchange(64, 1, &took_us_);
    if (scraper_) scraper_->set_measured(false);
    server_.set_measured(false);
    std::ranges::sort(took_us_);
    return harness::Operations{}
        .add("", took_us_.size())
        .figure("p50_us", took_us_[took_us_.size() / 2])
        .figure("p99_us", took_us_[took_us_.size() * 99 / 100])
        .figure("scrapes", static_cast<double>(scrapes_ - before_));
  }

 private:
  static constexpr std::chrono::milliseconds k_batch{220};  // of three scrapes

  app::AdminServer metrics_;  // before the server, which says where it is
  ServerThread server_;
  Member member_;
  std::atomic<std::uint64_t> scrapes_{0};
  std::optional<ServerThread> scraper_;
  std::uint64_t before_ = 0;
  std::vector<double> took_us_;
};

harness::BenchCompetitor at_metrics(const char* name, bool is_scraped) {
  return {name, [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            return std::make_unique<Scraped>(is_scraped, *net::idle_policy_of(of.text("idle")));
          }};
}

harness::BenchCompetitor over_road(const char* name, bool is_venue) {
  return {name, [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            return std::make_unique<Exchanging>(is_venue, *net::idle_policy_of(of.text("idle")),
                                                static_cast<std::size_t>(of.integer("in_flight")));
          }};
}

}  // namespace

harness::BenchTable road_table() {
  harness::BenchTable table{.name = "road", .title = "a request of a member over TCP, and its answer"};
  table.parameters = {{"idle", {"block", "ring", "yield"}},
                      {"in_flight", {std::int64_t{1}, std::int64_t{16}, std::int64_t{2048}}}};
  table.competitors = {over_road("echo", false), over_road("venue", true)};
  table.baseline = table.floor = "echo";
  table.operation = "request";
  table.is_quick = [](const harness::BenchCase& of) {
    return of.text("idle") == "block" && of.integer("in_flight") < 2048;
  };
  for (const char* idle : {"block", "ring", "yield"}) {
    const auto where = [idle](std::int64_t in_flight) {
      return std::vector<std::pair<std::string, evidence::Cell>>{{"idle", idle}, {"in_flight", in_flight}};
    };
    table.targets.push_back(
        {.competitor = "venue", .against = "echo", .limit = 1.1, .where = where(1), .figure = "p50_us"});
    table.targets.push_back(
        {.competitor = "venue", .against = "", .limit = 3, .where = where(1), .figure = "server_calls"});
    table.targets.push_back({.competitor = "venue", .against = "echo", .limit = 1 / 0.75, .where = where(16)});
    table.targets.push_back({.competitor = "venue", .against = "echo", .limit = 2, .where = where(2048)});
  }
  table.notes = {
      "member and server are two threads over loopback; the member never sleeps, on a processor of its own, and sends "
      "once half of its window is answered, all that fits with one call",
      "every second request is a cancel of an order that rests; each is answered by one report of 155 bytes. echo: as "
      "many bytes for each message, all that came at once with one call, through epoll, where the venue has a ring too",
      "calls: system calls of the server's thread that moved bytes, or waited and found something; empty: those "
      "that found nothing, and yields"};
  return table;
}

harness::BenchTable scrape_table() {
  harness::BenchTable table{.name = "scrape",
                            .title = "a request of a member over TCP, while /metrics is asked for every 100 ms"};
  table.parameters = {{"idle", {"block", "yield"}}};
  table.competitors = {at_metrics("none", false), at_metrics("scraped", true)};
  table.baseline = "none";
  table.compared_figures = {"p50_us", "p99_us"};
  table.operation = "request";
  table.is_quick = [](const harness::BenchCase& of) { return of.text("idle") == "block"; };
  table.targets = {{.competitor = "scraped", .against = "none", .limit = 1.1, .where = {}, .figure = "p50_us"},
                   {.competitor = "scraped", .against = "none", .limit = 1.1, .where = {}, .figure = "p99_us"}};
  table.notes = {
      "one request in flight, for 220 ms a round; none: a venue that has /metrics, which nobody asks for; scraped: "
      "asked for three times a round, each time by a connection of its own",
      "the scraper is a thread of this program and runs where the venue's does, so on a machine of two processors the "
      "time in which it reads the figures is the venue's as well"};
  return table;
}

}  // namespace dojima::bench_venue
