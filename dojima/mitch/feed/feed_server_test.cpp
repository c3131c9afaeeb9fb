// Every answer and every limit of the replay and recovery channels, as a reader on the wire sees them.

#include "dojima/mitch/feed/feed_server.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>

#include "dojima/mitch/feed/feed_world_test_support.hpp"

namespace dojima::mitch::testing {
namespace {

template <class Message>
std::vector<std::byte> unit_of(const Message& message) {
  std::array<std::byte, 64> room;
  UnitWriter unit(room, '1');
  unit.begin(0);
  EXPECT_TRUE(unit.append(message).has_value());
  const Bytes bytes = unit.finish();
  return {bytes.begin(), bytes.end()};
}

/// A reader that sends what the test says, and keeps what it receives.
struct Peer final : link::Connection {
  void on_open(link::Transport& opened, time::Time) override { transport = &opened; }
  std::size_t on_bytes(Bytes bytes, time::Time) override {
    std::size_t used = 0;
    while (const Result<Unit> unit = read_unit(bytes.subspan(used))) {
      const auto data = bytes.subspan(used, unit->size());
      units.emplace_back(data.begin(), data.end());
      for (const Bytes message : *unit) types += load_little<char>(message, 1);
      used += unit->size();
    }
    return used;
  }
  void on_writable(time::Time) override {}
  void on_closed(link::CloseReason, time::Time) override {
    transport = nullptr;
    is_closed = true;
  }
  void send_raw(Bytes bytes) {
    const Room room = transport->prepare(bytes.size());
    std::ranges::copy(bytes, room.begin());
    transport->commit(bytes.size());
    transport->flush();
  }
  template <class Message>
  void send(const Message& message) {
    send_raw(unit_of(message));
  }
  /// The last message of a type that came.
  template <class Message>
  [[nodiscard]] std::optional<Message> last() const {
    std::optional<Message> found;
    for (const auto& unit : units) {
      const auto read = read_unit(unit);
      for (const Bytes message : read.value())
        if (const auto decoded = decode<Message>(message)) found = *decoded;
    }
    return found;
  }
  link::Transport* transport = nullptr;
  std::vector<std::vector<std::byte>> units;
  std::string types;  // of all messages
  bool is_closed = false;
};

class FeedChannels : public ::testing::Test {
 protected:
  Peer& connect(const link::Address& where) {
    peers.push_back(std::make_unique<Peer>());
    world.network.connect(where, *peers.back());
    world.run(1ms);
    return *peers.back();
  }
  char log_in(Peer& peer, const char* name = "READ1", const char* password = "feed_1234") {
    peer.send(LoginRequest{.username = Text<6>::cut(name), .password = Text<10>::cut(password)});
    world.run(1ms);
    const auto response = peer.last<LoginResponse>();
    return response ? response->status : '\0';
  }
  Peer& session(const link::Address& where, const char* name = "READ1") {
    Peer& peer = connect(where);
    EXPECT_EQ(log_in(peer, name), 'A');
    return peer;
  }
  char replay(Peer& peer, char group, std::uint32_t first, std::uint16_t count) {
    peer.send(ReplayRequest{.market_data_group = group, .first_message = first, .count = count});
    world.run(20ms);
    const auto response = peer.last<ReplayResponse>();
    return response ? response->status : '\0';
  }
  char snapshot(Peer& peer, const char* segment, std::uint32_t instrument) {
    peer.send(SnapshotRequest{.segment = Text<6>::cut(segment), .instrument_id = instrument});
    world.run(20ms);
    const auto response = peer.last<SnapshotResponse>();
    return response ? response->status : '\0';
  }
  void restart(const std::function<void(FeedServerConfig&)>& change) {
    world.network.stop_listening(k_replay);
    world.network.stop_listening(k_recovery);
    FeedServerConfig replay_config = FeedWorld::config(FeedChannel::replay);
    FeedServerConfig recovery_config = FeedWorld::config(FeedChannel::recovery);
    change(replay_config);
    change(recovery_config);
    world.replay = std::make_unique<FeedServer>(replay_config, world.scheduler, world.feeds);
    world.recovery = std::make_unique<FeedServer>(recovery_config, world.scheduler, world.feeds);
    ASSERT_TRUE(world.network.listen(k_replay, *world.replay).has_value());
    ASSERT_TRUE(world.network.listen(k_recovery, *world.recovery).has_value());
  }

  FeedWorld world;
  std::vector<std::unique_ptr<Peer>> peers;
};

TEST_F(FeedChannels, let_in_whom_they_know_and_answer_the_others_as_the_protocol_has_it) {
  for (const link::Address& where : {k_replay, k_recovery}) {
    Peer& good = connect(where);
    EXPECT_EQ(log_in(good), 'A');
    EXPECT_FALSE(good.is_closed);
    Peer& locked = connect(where);
    EXPECT_EQ(log_in(locked, "LOCKED"), 'a');
    EXPECT_TRUE(locked.is_closed);
    Peer& wrong = connect(where);
    EXPECT_EQ(log_in(wrong, "READ2", "guess"), 'e');
    EXPECT_TRUE(wrong.is_closed);
    // Not answered: unknown, there already, twice on one connection, something else than a login.
    Peer& unknown = connect(where);
    EXPECT_EQ(log_in(unknown, "NOBODY"), '\0');
    EXPECT_TRUE(unknown.is_closed);
    Peer& second = connect(where);
    EXPECT_EQ(log_in(second), '\0');
    EXPECT_TRUE(second.is_closed);
    EXPECT_FALSE(good.is_closed) << "the first session stays";
    good.units.clear();
    EXPECT_EQ(log_in(good), '\0');
    EXPECT_TRUE(good.is_closed);
    Peer& early = connect(where);
    early.send(LogoutRequest{});
    world.run(1ms);
    EXPECT_TRUE(early.is_closed);
    EXPECT_TRUE(early.units.empty());
  }
  EXPECT_EQ(world.replay->counts().logins, 1u);
  EXPECT_EQ(world.replay->counts().logins_refused, 2u);
  EXPECT_EQ(world.replay->counts().cut, 4u);
  EXPECT_EQ(world.replay->logged_in(), 0u);
}

TEST_F(FeedChannels, answer_a_login_when_its_password_has_been_compared_with_what_is_kept_of_it) {
  SlowPasswords passwords;
  restart([&](FeedServerConfig& config) {
    for (FeedReader& reader : config.readers) {
      reader.password_kept = "kept:" + std::string(reader.password.view());
      reader.password = {};
    }
    config.passwords = &passwords;
    config.first_connection = config.channel == FeedChannel::replay ? 100 : 200;
  });
  for (const link::Address& where : {k_replay, k_recovery}) {
    passwords.asked = 0;
    Peer& good = connect(where);
    EXPECT_EQ(log_in(good), '\0');
    good.send(ReplayRequest{.market_data_group = '1', .first_message = 1, .count = 1});  // ignored meanwhile
    world.run(50ms);
    EXPECT_EQ(good.last<LoginResponse>().value().status, 'A');
    EXPECT_EQ(good.types, std::string(1, LoginResponse::k_type));
    EXPECT_EQ(passwords.asked, 3);
    Peer& wrong = connect(where);
    EXPECT_EQ(log_in(wrong, "READ2", "guess"), '\0');
    EXPECT_EQ(log_in(wrong, "READ2", "feed_1234"), '\0') << "one login a connection";
    world.run(50ms);
    EXPECT_EQ(wrong.last<LoginResponse>().value().status, 'e');
    EXPECT_TRUE(wrong.is_closed);
    // The same reader from two connections, whose passwords are compared at the same time.
    Peer& one = connect(where);
    Peer& other = connect(where);
    EXPECT_EQ(log_in(one, "READ3"), '\0');
    EXPECT_EQ(log_in(other, "READ3"), '\0');
    world.run(50ms);
    EXPECT_EQ(one.last<LoginResponse>().value().status, 'A');
    EXPECT_TRUE(other.is_closed);
    EXPECT_TRUE(other.units.empty());
    // A connection that goes meanwhile; a reader that is locked is not looked at.
    Peer& gone = connect(where);
    const int asked = passwords.asked;
    passwords.times.clear();
    EXPECT_EQ(log_in(gone, "READ2"), '\0');
    gone.transport->close(link::CloseReason::by_us);
    world.run(200ms);
    EXPECT_EQ(passwords.asked, asked + 1);
    const int before = passwords.asked;
    EXPECT_EQ(log_in(connect(where), "LOCKED"), 'a');
    EXPECT_EQ(passwords.asked, before);
    // Once it was right it is known, and others are wrong at once.
    good.transport->close(link::CloseReason::by_us);
    world.run(11s);
    EXPECT_EQ(log_in(connect(where), "READ1", "guess"), 'e');
    world.run(11s);
    EXPECT_EQ(log_in(connect(where)), 'A');
    EXPECT_EQ(passwords.asked, before);
    passwords.is_busy = true;
    EXPECT_EQ(log_in(connect(where), "READ2"), 'c');
    EXPECT_EQ(passwords.asked, before + 1);
    passwords.is_busy = false;
  }
  EXPECT_GE(*passwords.connections.begin(), 100u);
  EXPECT_LT(*passwords.connections.begin(), 116u);
  EXPECT_GE(*passwords.connections.rbegin(), 200u);
}

TEST_F(FeedChannels, cannot_be_made_where_nobody_compares_what_is_kept) {
  FeedServerConfig config = FeedWorld::config(FeedChannel::replay);
  config.readers[0].password_kept = "kept:x";
  EXPECT_THROW((FeedServer{config, world.scheduler, world.feeds}), std::invalid_argument);
}

TEST_F(FeedChannels, keep_their_limits_of_logins) {
  restart([](FeedServerConfig& config) {
    config.logins = 2;
    config.sessions = 2;
    config.readers[1].host = "10.0.0.0/8";
    config.readers.push_back({.comp_id = Text<6>::cut("READ4"), .password = Text<10>::cut("feed_1234")});
  });
  Peer& elsewhere = connect(k_replay);
  EXPECT_EQ(log_in(elsewhere, "READ2"), '\0') << "from another address than it may";
  EXPECT_TRUE(elsewhere.is_closed);
  Peer& first = session(k_replay);
  session(k_replay, "READ3");
  Peer& third = connect(k_replay);
  EXPECT_EQ(log_in(third, "READ4"), 'd');
  for (int count = 0; count < 2; ++count) {
    Peer& again = count == 0 ? first : connect(k_replay);
    if (count == 0) {
      again.send(LogoutRequest{});
    } else {
      EXPECT_EQ(log_in(again), '\0') << "the answer to a second login in a row waits";
      world.run(200ms);
      EXPECT_EQ(again.last<LoginResponse>()->status, 'A') << "the second of the day";
      again.send(LogoutRequest{});
    }
    world.run(count == 0 ? 1s : 15s);
  }
  EXPECT_EQ(log_in(connect(k_replay)), 'b') << "the third";
  world.run(24h);
  session(k_replay);
  world.replay->set_available(false);
  EXPECT_EQ(log_in(connect(k_replay), "READ3"), 'c');
}

TEST_F(FeedChannels, delay_rapid_logins_twice_as_long_each_time_and_ignore_what_comes_meanwhile) {
  for (const auto& [wait, shortest] : {std::pair{0ms, 0ms}, {100ms, 90ms}, {200ms, 190ms}, {400ms, 390ms}}) {
    Peer& peer = connect(k_replay);
    peer.send(LoginRequest{.username = Text<6>::cut("READ1"), .password = Text<10>::cut("feed_1234")});
    world.run(shortest);
    if (wait != 0ms) {
      EXPECT_TRUE(peer.units.empty()) << wait.count();
      peer.send(ReplayRequest{.market_data_group = '1', .first_message = 1, .count = 1});
    }
    world.run(wait - shortest + 1ms);
    EXPECT_EQ(peer.types, "\x02");
    peer.send(LogoutRequest{});
    world.run(1ms);
    EXPECT_TRUE(peer.is_closed);
  }
}

TEST_F(FeedChannels, wait_five_seconds_for_a_login_a_request_and_a_logout) {
  Peer& silent = connect(k_replay);
  Peer& idle = session(k_replay);
  Peer& done = session(k_replay, "READ2");
  world.run(4'900ms);
  EXPECT_FALSE(silent.is_closed);
  EXPECT_EQ(replay(done, '1', 1, 1), 'A');
  world.run(200ms);
  EXPECT_TRUE(silent.is_closed);
  EXPECT_TRUE(idle.is_closed);
  EXPECT_FALSE(done.is_closed);
  world.run(5s);
  EXPECT_TRUE(done.is_closed);
}

TEST_F(FeedChannels, replay_the_messages_that_were_asked_for_with_their_own_numbers) {
  world.trade(200);
  Peer& peer = session(k_replay);
  const std::uint32_t last = world.feeds[1]->last();
  EXPECT_EQ(replay(peer, '2', 5, static_cast<std::uint16_t>(last - 4)), 'A');
  EXPECT_EQ(peer.last<ReplayResponse>()->first_message, 5u);
  std::uint32_t number = 5;
  for (std::size_t at = 2; at < peer.units.size(); ++at) {
    const Unit unit = *read_unit(peer.units[at]);
    EXPECT_EQ(unit.header().sequence_number, number);
    EXPECT_EQ(unit.header().market_data_group, '2');
    for (const Bytes message : unit) {
      EXPECT_TRUE(std::ranges::equal(message, world.feeds[1]->message(number)));
      ++number;
    }
  }
  EXPECT_EQ(number, last + 1);
  EXPECT_EQ(world.replay->counts().messages, last - 4);
}

TEST_F(FeedChannels, say_why_a_request_is_refused) {
  world.trade(50);
  const std::uint32_t last = world.feeds[0]->last();
  Peer& peer = session(k_replay);
  EXPECT_EQ(replay(peer, '1', 1, static_cast<std::uint16_t>(last)), 'A');
  EXPECT_EQ(replay(peer, '1', 1, static_cast<std::uint16_t>(last + 1)), 'O') << "beyond the last";
  EXPECT_EQ(peer.last<ReplayResponse>()->count, 0u);
  EXPECT_EQ(replay(peer, '1', 0, 1), 'O');
  EXPECT_EQ(replay(peer, '1', last, 0), 'O');
  EXPECT_EQ(replay(peer, '1', ~std::uint32_t{0}, 65'535), 'O');
  EXPECT_EQ(replay(peer, '9', 1, 1), 'I');
  peer.send(SnapshotRequest{.instrument_id = 1});
  world.run(20ms);
  EXPECT_EQ(peer.last<ReplayResponse>()->status, 'd') << "of the other channel";
  world.replay->set_available(false);
  EXPECT_EQ(replay(peer, '1', 1, 1), 'U');

  Peer& other = session(k_recovery);
  EXPECT_EQ(snapshot(other, "", 1), 'A');
  EXPECT_EQ(snapshot(other, "", 99), 'a');
  EXPECT_EQ(snapshot(other, "NONE", 0), 'a');
  EXPECT_EQ(snapshot(other, "", 0), 'a');
  EXPECT_EQ(snapshot(other, "RICE", 99), 'A') << "a segment and an instrument: a request for the segment";
  other.send(ReplayRequest{.market_data_group = '1', .first_message = 1, .count = 1});
  world.run(20ms);
  EXPECT_EQ(other.last<SnapshotResponse>()->status, 'd');
  world.recovery->set_available(false);
  EXPECT_EQ(snapshot(other, "", 1), 'U');
  EXPECT_FALSE(peer.is_closed || other.is_closed) << "a refusal ends nothing";
}

TEST_F(FeedChannels, refuse_what_is_too_old_and_keep_as_many_as_they_say) {
  FeedWorld small({.messages = 40});
  small.trade(100);
  const std::uint32_t last = small.feeds[0]->last();
  EXPECT_EQ(small.feeds[0]->oldest(), last - 39);
  Peer peer;
  small.network.connect(k_replay, peer);
  small.run(1ms);
  peer.send(LoginRequest{.username = Text<6>::cut("READ1"), .password = Text<10>::cut("feed_1234")});
  peer.transport->flush();
  small.run(1ms);
  for (const auto& [first, status] : {std::pair{last - 40, 'O'}, {last - 39, 'A'}}) {
    peer.send(ReplayRequest{.market_data_group = '1', .first_message = first, .count = 40});
    small.run(20ms);
    EXPECT_EQ(peer.last<ReplayResponse>()->status, status);
  }
}

TEST_F(FeedChannels, keep_their_limits_of_requests) {
  restart([](FeedServerConfig& config) { config.requests = 3; });
  for (const link::Address& where : {k_replay, k_recovery}) {
    Peer& peer = session(where);
    const auto ask = [&] { return where == k_replay ? replay(peer, '1', 1, 1) : snapshot(peer, "", 1); };
    for (int count = 0; count < 3; ++count) EXPECT_EQ(ask(), 'A');
    EXPECT_EQ(ask(), where == k_replay ? 'D' : 'b');
    EXPECT_FALSE(peer.is_closed);
  }
  restart([](FeedServerConfig& config) { config.waiting = 2; });
  for (const link::Address& where : {k_replay, k_recovery}) {
    Peer& peer = session(where);
    std::vector<std::byte> together;
    for (int count = 0; count < 5; ++count) {
      const auto unit = where == k_replay
                            ? unit_of(ReplayRequest{.market_data_group = '1', .first_message = 1, .count = 1})
                            : unit_of(SnapshotRequest{.instrument_id = 1});
      together.insert(together.end(), unit.begin(), unit.end());
    }
    peer.send_raw(together);
    world.run(20ms);
    const char answer = where == k_replay ? '\x04' : '\x82';
    EXPECT_EQ(std::ranges::count(peer.types, answer), 5) << "each is answered";
    EXPECT_EQ(where == k_replay ? peer.last<ReplayResponse>()->status : peer.last<SnapshotResponse>()->status, 'c');
  }
}

TEST_F(FeedChannels, give_the_book_of_an_instrument_as_it_is) {
  world.trade(300);
  Peer& peer = session(k_recovery);
  EXPECT_EQ(snapshot(peer, "", 3), 'A');
  BookBuilder books(FeedWorld::k_books);
  for (const auto& data : peer.units) {
    const auto read = read_unit(data);
    for (const Bytes message : read.value()) static_cast<void>(books.apply(message));
  }
  FeedWorld::expect_equal(books, *world.feeds[0]->books().find(3));
  EXPECT_EQ(books.instrument_count(), 1u);
  EXPECT_EQ(peer.types.substr(0, 3), std::string("\x02\x82T"));
  EXPECT_EQ(peer.types.substr(peer.types.size() - 2), std::string("H\x83"));
  const auto complete = peer.last<SnapshotComplete>();
  EXPECT_EQ(complete->sequence_number, world.feeds[0]->last());
  EXPECT_EQ(complete->instrument_id, 3u);
  EXPECT_TRUE(complete->segment.is_empty());
  for (const auto& data : peer.units) EXPECT_EQ(read_unit(data)->header().sequence_number, 0u);
}

TEST_F(FeedChannels, give_the_books_of_a_segment_each_with_its_end_and_one_for_all) {
  world.trade(300);
  Peer& peer = session(k_recovery);
  EXPECT_EQ(snapshot(peer, "RICE", 0), 'A');
  BookBuilder books(FeedWorld::k_books);
  std::vector<std::uint32_t> completed;
  for (const auto& data : peer.units) {
    const auto read = read_unit(data);
    for (const Bytes message : read.value()) {
      static_cast<void>(books.apply(message));
      if (const auto complete = decode<SnapshotComplete>(message)) completed.push_back(complete->instrument_id);
    }
  }
  EXPECT_EQ(completed, (std::vector<std::uint32_t>{1, 3, 2, 0}));
  for (const std::uint32_t id : {1U, 2U, 3U})
    FeedWorld::expect_equal(books, *world.feeds[(id + 1) % 2]->books().find(id));
  EXPECT_EQ(peer.last<SnapshotComplete>()->segment.view(), "RICE");
  EXPECT_EQ(peer.last<SnapshotComplete>()->sequence_number, 0u);
}

TEST_F(FeedChannels, end_a_reader_that_does_not_read_and_serve_the_others) {
  world.trade(3'000);
  Peer& slow = session(k_replay);
  Peer& good = session(k_replay, "READ2");
  world.network.pause(slow);
  const auto count = static_cast<std::uint16_t>(std::min<std::uint32_t>(world.feeds[0]->last(), 60'000));
  for (int request = 0; request < 9; ++request)
    slow.send(ReplayRequest{.market_data_group = '1', .first_message = 1, .count = count});
  world.run(1s);
  EXPECT_EQ(replay(good, '1', 1, 10), 'A');
  for (int second = 0; second < 14; ++second) {
    world.run(1s);
    EXPECT_EQ(replay(good, '1', 1, 10), 'A');
  }
  EXPECT_EQ(world.replay->counts().slow, 1u);
  EXPECT_EQ(world.replay->logged_in(), 1u);
}

TEST_F(FeedChannels, cut_who_sends_no_units_and_take_requests_in_any_pieces) {
  Peer& peer = session(k_replay);
  peer.send_raw(as_bytes(std::string_view("\x01\0 no unit has so short a length", 32)));
  world.run(1ms);
  EXPECT_TRUE(peer.is_closed);
  EXPECT_EQ(world.replay->logged_in(), 0u);
  Peer& other = session(k_replay, "READ2");
  std::array<std::byte, 600> room;
  UnitWriter unit(room, '1');
  unit.begin(0);
  for (int count = 0; count < 90; ++count) ASSERT_TRUE(unit.append(Time{}).has_value());
  other.send_raw(unit.finish());
  world.run(1ms);
  EXPECT_TRUE(other.is_closed) << "more messages than anybody asks for";
  Peer& last = session(k_replay, "READ3");
  unit.begin(0);
  ASSERT_TRUE(unit.append(ReplayRequest{.market_data_group = '1', .first_message = 1, .count = 1}).has_value());
  const Bytes request = unit.finish();
  for (const std::byte& byte : request) {
    last.send_raw({&byte, 1});
    world.run(1ms);
  }
  world.run(20ms);
  EXPECT_EQ(last.last<ReplayResponse>()->status, 'A');
}

TEST_F(FeedChannels, refuse_connections_and_configurations_beyond_their_bounds) {
  restart([](FeedServerConfig& config) { config.connections = 1; });
  connect(k_replay);
  EXPECT_TRUE(connect(k_replay).is_closed);
  EXPECT_EQ(world.replay->counts().connections_refused, 1u);
  FeedServerConfig twice = FeedWorld::config(FeedChannel::replay);
  twice.readers.push_back(twice.readers.front());
  EXPECT_THROW(FeedServer(twice, world.scheduler, world.feeds), std::invalid_argument);
  FeedServerConfig small = FeedWorld::config(FeedChannel::replay);
  small.unit_size = 100;
  EXPECT_THROW(FeedServer(small, world.scheduler, world.feeds), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::mitch::testing
