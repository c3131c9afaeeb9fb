// The live feed over arbitrary bytes, both ends. A script drives a replay and a recovery channel: raw bytes, requests
// whose fields are arbitrary, time, published messages; whatever is asked, the answers are sound units, a reader that
// was cut hears nothing more, and no timer is left. Then the same bytes are datagrams and answers to a FeedClient: its
// books stay sound, and its messages come once, in their order.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/mitch/feed/feed_client.hpp"
#include "dojima/mitch/feed/feed_server.hpp"
#include "dojima/mitch/feed_writer.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;
using time::Time;

constexpr mitch::BookBuilderLimits k_books{.instruments = 3, .orders = 12, .levels = 5, .quote_levels = 2};

/// Arbitrary bytes as values; zeros behind the last of them.
class Script {
 public:
  explicit Script(Bytes bytes) : rest_(bytes) {}
  [[nodiscard]] bool is_over() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = std::to_integer<std::uint8_t>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }
  std::uint16_t two() { return static_cast<std::uint16_t>(byte() | byte() << 8U); }
  Bytes take(std::size_t most) {
    const Bytes taken = rest_.first(std::min(most, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  Bytes rest_;
};

/// An end of a connection: what was sent and not taken, and what came and was not used.
class Pipe final : public link::Transport {
 public:
  explicit Pipe(std::size_t size) : bytes_(size) {}
  Room prepare(std::size_t size) override {
    if (is_closed || size > bytes_.size() - size_) {
      wants_room = !is_closed;
      return {};
    }
    prepared_ = size;
    return Room(bytes_).subspan(size_, size);
  }
  void commit(std::size_t size) override {
    DOJIMA_ASSERT(size <= prepared_, "only prepared room is committed", size, prepared_);
    prepared_ = 0;
    size_ += size;
  }
  [[nodiscard]] std::size_t unsent() const override { return size_; }
  void flush() override {}
  void close(link::CloseReason) override {
    DOJIMA_ASSERT(!is_closed, "closed once");
    is_closed = true;
  }
  void set_reading(bool is_wanted) override { is_reading = is_wanted; }
  [[nodiscard]] Bytes sent() const { return Bytes(bytes_).first(size_); }
  void consume() { size_ = 0; }

  bool is_closed = false;
  bool is_reading = true;
  bool wants_room = false;

 private:
  std::vector<std::byte> bytes_;
  std::size_t size_ = 0;
  std::size_t prepared_ = 0;
};

/// A connection as its endpoint drives it.
struct End {
  link::Connection* session = nullptr;
  std::unique_ptr<Pipe> pipe;
  std::vector<std::byte> input;

  [[nodiscard]] bool is_open() const { return session != nullptr; }
  void open(link::Connection& to, std::size_t room, Time now) {
    session = &to;
    pipe = std::make_unique<Pipe>(room);
    input.clear();
    session->on_open(*pipe, now);
  }
  void deliver(Time now) {
    if (!is_open() || pipe->is_closed || !pipe->is_reading) return;
    // An exact copy, so that the address sanitizer sees a read past the end.
    const std::vector<std::byte> exact(input);
    const std::size_t used = session->on_bytes(exact, now);
    DOJIMA_ASSERT(used <= exact.size(), "no more than there is", used);
    input.erase(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(used));
  }
  /// Ends what was closed, or is to be.
  void settle(bool is_cut, Time now) {
    if (!is_open() || !(is_cut || pipe->is_closed)) return;
    link::Connection* const closed = std::exchange(session, nullptr);
    closed->on_closed(pipe->is_closed ? link::CloseReason::by_us : link::CloseReason::by_peer, now);
  }
};

struct NoLines final : mitch::FeedSink {
  void on_unit(Bytes) override {}
};

template <class Message>
void put(std::vector<std::byte>& to, const Message& message) {
  std::array<std::byte, 64> room;
  mitch::UnitWriter unit(room, '1');
  unit.begin(0);
  if (!unit.append(message)) return;
  const Bytes bytes = unit.finish();
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// Answers follow one another as whole units, but for the last one, which may still be on its way.
void check_answers(std::vector<std::byte>& received, Bytes more) {
  received.insert(received.end(), more.begin(), more.end());
  std::size_t used = 0;
  while (true) {
    const Result<mitch::Unit> unit = mitch::read_unit(Bytes(received).subspan(used));
    if (!unit) {
      DOJIMA_ASSERT(unit.error().code == ErrorCode::incomplete, "answers are sound units", received.size(), used);
      break;
    }
    used += unit->size();
  }
  received.erase(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(used));
}

void serve(Script script) {
  sched::Scheduler scheduler(64);
  NoLines lines;
  mitch::PublishedFeed published(lines, {.group = '1', .messages = 16, .books = k_books});
  mitch::FeedWriter writer(published, {.market_data_group = '1'});
  const mitch::PublishedFeed* const feeds[] = {&published};
  const bool is_replay = script.byte() % 2 == 0;
  mitch::FeedServerConfig config{
      .channel = is_replay ? mitch::FeedChannel::replay : mitch::FeedChannel::recovery,
      .readers = {{.comp_id = Text<6>::cut("A"), .password = Text<10>::cut("p")},
                  {.comp_id = Text<6>::cut("B"), .password = Text<10>::cut("p"), .is_locked = true}},
      .connections = 2,
      .sessions = 1,
      .logins = 6,
      .requests = 20,
      .waiting = 2,
      .unit_size = 128,
      .bytes_a_turn = 200};
  mitch::FeedServer server(config, scheduler, feeds);
  End end;
  std::vector<std::byte> received;
  Time now{};
  std::uint64_t order = 1;
  for (int step = 0; step < 400 && !script.is_over(); ++step) {
    const unsigned what = script.byte();
    switch (what % 10) {
      case 0:
        if (!end.is_open()) {
          if (link::Connection* const session = server.on_accept({"127.0.0.1", 1})) end.open(*session, 600, now);
          received.clear();
        }
        break;
      case 1: {
        const Bytes raw = script.take(what / 10);
        end.input.insert(end.input.end(), raw.begin(), raw.end());
        break;
      }
      case 2:
        put(end.input, mitch::LoginRequest{.username = Text<6>::cut(what % 3 == 0 ? "B" : "A"),
                                           .password = Text<10>::cut(what % 5 == 0 ? "q" : "p")});
        break;
      case 3:
        put(end.input, mitch::ReplayRequest{.market_data_group = what > 200 ? '2' : '1',
                                            .first_message = script.byte(),
                                            .count = static_cast<std::uint16_t>(script.byte() % 24)});
        break;
      case 4:
        put(end.input, mitch::SnapshotRequest{.segment = Text<6>::cut(what > 128 ? "RICE" : ""),
                                              .instrument_id = script.byte() % 4U});
        break;
      case 5:
        now += script.byte() * 20ms;
        break;
      case 6: {
        const auto instrument = static_cast<std::uint32_t>(1 + script.byte() % 4);
        if (what > 200)
          static_cast<void>(
              writer.append(mitch::SymbolDirectory{.instrument_id = instrument, .segment = Text<6>::cut("RICE")}));
        else if (what > 150)
          static_cast<void>(writer.append(mitch::OrderDeleted{.order_id = script.byte(), .instrument_id = instrument}));
        else
          static_cast<void>(writer.append(mitch::AddOrder{.order_id = order++,
                                                          .side = what % 4 < 2 ? 'B' : 'S',
                                                          .quantity = 1U + script.byte(),
                                                          .instrument_id = instrument,
                                                          .price = {script.byte() * 1'000'000}}));
        writer.flush();
        break;
      }
      case 7:
        if (end.is_open()) {
          check_answers(received, end.pipe->sent());
          end.pipe->consume();
          if (std::exchange(end.pipe->wants_room, false) && !end.pipe->is_closed) end.session->on_writable(now);
        }
        break;
      case 8:
        if (what > 230) server.set_available(what > 240);
        if (what > 220 && what <= 230) server.close_all();
        if (what < 40) put(end.input, mitch::LogoutRequest{});
        break;
      default:
        end.settle(what > 200, now);
        break;
    }
    scheduler.check(now, 1000);
    end.deliver(now);
    scheduler.check(now, 1000);
    end.settle(false, now);
    DOJIMA_ASSERT(server.logged_in() <= 1, "no more sessions than there may be", server.logged_in());
    DOJIMA_ASSERT(end.is_open() || server.logged_in() == 0, "who is gone is not logged in");
  }
  end.settle(true, now);
  DOJIMA_ASSERT(scheduler.next_due() == time::k_never, "no timer is left");
}

/// The channels of a client that reaches nobody, or whoever says what the script says.
struct FuzzFabric final : link::Fabric {
  Result<link::Address> listen(const link::Address& address, link::Acceptor&) override { return address; }
  void connect(const link::Address& address, link::Connection& connection) override {
    DOJIMA_ASSERT(wanted[address.port] == nullptr, "one connection at a time");
    wanted[address.port] = &connection;
  }
  link::Connection* wanted[2] = {};
};

struct Received final : mitch::FeedHandler {
  void on_message(char group, std::uint32_t number, Bytes message, Time) override {
    DOJIMA_ASSERT(message.size() >= mitch::k_message_header_size, "whole messages");
    std::uint32_t& before = last[static_cast<unsigned char>(group)];
    DOJIMA_ASSERT(number > before, "messages come once, in their order", number, before);
    before = number;
  }
  void on_notice(const mitch::FeedNotice& notice, Time) override {
    if (notice.kind == mitch::FeedNoticeKind::restarted) last[static_cast<unsigned char>(notice.group)] = 0;
  }
  std::array<std::uint32_t, 256> last{};
};

/// A datagram, or an answer, of messages whose lengths are right.
std::vector<std::byte> unit_of(Script& script) {
  std::array<std::byte, 600> room;
  mitch::UnitWriter unit(room, script.byte() % 8 == 0 ? '2' : '1');
  unit.begin(script.byte() % 8 == 0 ? script.two() : script.byte() % 64U);
  const auto& layouts = mitch::k_application_layouts;
  for (unsigned count = script.byte() % 5U; count != 0; --count) {
    const MessageLayout& layout = layouts[script.byte() % layouts.size()];
    std::vector<std::byte> message(layout.size);
    // Small numbers, so that messages are about the same instruments and orders.
    for (std::byte& each : message) each = std::byte{0};
    const Bytes body = script.take(layout.size - mitch::k_message_header_size);
    std::ranges::copy(body, message.begin() + mitch::k_message_header_size);
    store_little(Room(message), 0, static_cast<std::uint8_t>(layout.size));
    store_little(Room(message), 1, layout.type);
    static_cast<void>(unit.append_encoded(message));
  }
  const Bytes bytes = unit.finish();
  return {bytes.begin(), bytes.end()};
}

void follow(Script script) {
  sched::Scheduler scheduler(64);
  FuzzFabric fabric;
  Received received;
  mitch::FeedClientOptions options{.user = "A", .password = "p", .books = k_books, .groups = 2, .window = 32};
  const unsigned shape = script.byte();
  if ((shape & 1U) != 0) options.replay = link::Address{"venue", 0};
  if ((shape & 2U) != 0) options.recovery = link::Address{"venue", 1};
  if ((shape & 4U) != 0) options.instruments = {{'1', 1}, {'1', 2}};
  if ((shape & 8U) != 0) options.segments = {Text<6>::cut("RICE")};
  mitch::FeedClient client(options, scheduler, &fabric, received);
  End ends[2];
  Time now{};
  client.start(now);
  for (int step = 0; step < 400 && !script.is_over(); ++step) {
    const unsigned what = script.byte();
    const std::size_t which = what / 16 % 2;
    End& end = ends[which];
    switch (what % 10) {
      case 0:
      case 1: {
        const std::vector<std::byte> unit = unit_of(script);
        client.line(which).on_datagram(unit, now);
        break;
      }
      case 2: {
        const Bytes raw = script.take(what / 8);
        const std::vector<std::byte> exact(raw.begin(), raw.end());
        client.line(which).on_datagram(exact, now);
        break;
      }
      case 3:
        now += script.byte() * 20ms;
        break;
      case 4:  // what was asked for is answered, and what comes behind it
        put(end.input, mitch::LoginResponse{.status = what > 200 ? 'e' : 'A'});
        break;
      case 5:
        put(end.input, mitch::ReplayResponse{.market_data_group = '1', .status = what > 200 ? 'O' : 'A'});
        put(end.input, mitch::SnapshotResponse{.status = what > 200 ? 'a' : 'A'});
        break;
      case 6: {
        const std::vector<std::byte> unit = unit_of(script);
        end.input.insert(end.input.end(), unit.begin(), unit.end());
        break;
      }
      case 7:
        put(end.input, mitch::SnapshotComplete{.sequence_number = script.byte() % 64U,
                                               .segment = Text<6>::cut(what > 230 ? "RICE" : ""),
                                               .instrument_id = what > 230 ? 0U : 1 + script.byte() % 3U});
        break;
      case 8: {
        const Bytes raw = script.take(what / 8);
        end.input.insert(end.input.end(), raw.begin(), raw.end());
        break;
      }
      default:
        if (link::Connection* const wanted = std::exchange(fabric.wanted[which], nullptr)) {
          if (what > 200)
            wanted->on_closed(link::CloseReason::refused, now);
          else
            end.open(*wanted, 4'096, now);
        } else {
          end.settle(what > 200, now);
        }
        break;
    }
    scheduler.check(now, 1000);
    for (End& each : ends) {
      each.deliver(now);
      if (each.is_open()) each.pipe->consume();
      each.settle(false, now);
    }
    for (const char group : client.groups()) {
      DOJIMA_ASSERT(client.books(group)->inconsistency() == nullptr, "the books stay sound", group);
      DOJIMA_ASSERT(!client.is_live(group) || client.suspects() == 0 || client.groups().size() > 1,
                    "a group is not live while a book of it is suspect");
    }
  }
  client.stop();
  for (End& each : ends) each.settle(true, now);
  for (link::Connection* const wanted : fabric.wanted)
    if (wanted != nullptr) wanted->on_closed(link::CloseReason::refused, now);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  serve(Script(bytes));
  follow(Script(bytes));
  return 0;
}
