#include "dojima/mitch/server/server_session.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/link/host_pattern.hpp"

namespace dojima::mitch {
namespace {

/// Requests beyond those that may wait are kept until their refusal has left; of more the session is not read.
constexpr std::size_t k_refusals = 8;
constexpr std::size_t k_administrative_unit = 64;  // room for any of them
constexpr unsigned k_most_doublings = 20;

}  // namespace

ServerSession::ServerSession(FeedServer::Desk& desk, std::uint32_t number)
    : desk_(desk),
      number_(number),
      snapshot_(desk.feeds, desk.config.unit_size),
      limit_(desk.scheduler, *this),
      turn_(desk.scheduler, *this) {
  requests_.reserve(1 + desk.config.waiting + k_refusals);
}

void ServerSession::on_open(link::Transport& transport, time::Time now) {
  transport_ = &transport;
  state_ = State::new_here;
  reader_ = nullptr;
  has_no_room_ = false;
  requests_.clear();
  limit_.arm(now + desk_.config.patience);
}

void ServerSession::on_closed(link::CloseReason, time::Time) {
  if (reader_ != nullptr) {
    reader_->is_here = false;
    --desk_.logged_in;
  }
  reader_ = nullptr;
  transport_ = nullptr;
  state_ = State::free;
  asked_as_ = nullptr;
  limit_.disarm();
  turn_.disarm();
  snapshot_.end();
  desk_.free.push_back(this);
}

void ServerSession::close(link::CloseReason reason) {
  if (state_ == State::closing) return;
  state_ = State::closing;
  asked_as_ = nullptr;
  limit_.disarm();
  turn_.disarm();
  requests_.clear();
  transport_->close(reason);
}

void ServerSession::cut() {
  ++desk_.counts.cut;
  close(link::CloseReason::by_us);
}

void ServerSession::close_if_open() {
  if (state_ != State::free) close(link::CloseReason::by_us);
}

std::size_t ServerSession::on_bytes(Bytes bytes, time::Time now) {
  std::size_t used = 0;
  while (state_ != State::closing) {
    if (requests_.size() == requests_.capacity()) {
      transport_->set_reading(false);
      return used;
    }
    const Result<Unit> unit = read_unit(bytes.subspan(used));
    if (!unit && unit.error().code == ErrorCode::incomplete) return used;
    if (!unit) {
      cut();
      break;
    }
    used += unit->size();
    // What comes before the answer to a login is ignored; so is a unit without a message.
    if (state_ == State::delayed) continue;
    for (const Bytes message : *unit)
      if (state_ != State::closing) on_message(message, now);
  }
  return bytes.size();
}

void ServerSession::on_message(Bytes message, time::Time now) {
  const char type = load_little<char>(message, 1);
  if (state_ == State::new_here) {
    const Result<LoginRequest> login = decode<LoginRequest>(message);
    return login ? log_in(*login, now) : cut();
  }
  if (type == LoginRequest::k_type) return cut();
  if (type == LogoutRequest::k_type) return close(link::CloseReason::by_us);
  if (desk_.config.channel == FeedChannel::replay) return take_request<ReplayRequest>(message, now);
  take_request<SnapshotRequest>(message, now);
}

// ---- Logging in ----------------------------------------------------------------------------------------------------

/// Nobody of that name, from that address, or whose session is there already, is not answered.
void ServerSession::log_in(const LoginRequest& login, time::Time now) {
  desk_.look_at_day(now);
  const auto known = std::ranges::find_if(desk_.readers, [&](const KnownReader& each) {
    return each.reader.comp_id == login.username &&
           (each.reader.host.empty() || link::host_matches(host_, each.reader.host));
  });
  if (known == desk_.readers.end() || known->is_here) return cut();
  login_ = login;
  asked_as_ = &*known;
  go_on_with_login(now);
}

void ServerSession::go_on_with_login(time::Time now) {
  KnownReader& known = *asked_as_;
  const std::optional<ReaderVerdict> password = compare_password();
  if (!password) {
    state_ = State::delayed;
    return limit_.arm(now + ReaderPasswords::k_ask_again);
  }
  asked_as_ = nullptr;
  if (known.is_here) return cut();  // another connection's was compared before
  login_status_ = status_of(*password, known);
  const time::Duration delay = delay_of(known, now);
  if (login_status_ == 'A') {
    reader_ = &known;
    reader_->is_here = true;
    ++desk_.logged_in;
  }
  if (delay == time::Duration::zero()) return answer_login(now);
  state_ = State::delayed;
  limit_.arm(now + delay);
}

/// Of a reader that cannot log in anyway nothing is compared. Once one was right others are wrong at once.
std::optional<ReaderVerdict> ServerSession::compare_password() const {
  FeedReader& reader = asked_as_->reader;
  const bool is_hopeless = !desk_.is_available || reader.is_locked || asked_as_->logins >= desk_.config.logins;
  if (reader.password_kept.empty() || is_hopeless)
    return login_.password == reader.password ? ReaderVerdict::right : ReaderVerdict::wrong;
  const auto verdict =
      desk_.config.passwords->find({.connection = desk_.config.first_connection + number_,
                                    .reader = static_cast<std::uint16_t>(asked_as_ - desk_.readers.data()),
                                    .host = host_,
                                    .kept = reader.password_kept,
                                    .password = login_.password.view()});
  if (verdict == ReaderVerdict::right) {
    reader.password = login_.password;
    reader.password_kept.clear();
  }
  return verdict;
}

char ServerSession::status_of(ReaderVerdict password, KnownReader& reader) const {
  ++reader.logins;
  if (!desk_.is_available || password == ReaderVerdict::busy) return 'c';
  if (reader.reader.is_locked) return 'a';
  const bool was_compared = reader.reader.password_kept.empty() || reader.logins <= desk_.config.logins;
  if (password == ReaderVerdict::wrong) return was_compared ? 'e' : 'b';
  if (reader.logins > desk_.config.logins) return 'b';
  return desk_.logged_in >= desk_.config.sessions ? 'd' : 'A';
}

/// Of logins in a row the second waits, and each further one twice as long.
time::Duration ServerSession::delay_of(KnownReader& reader, time::Time now) const {
  const bool is_first = reader.last_login == time::Time{} || now - reader.last_login >= desk_.config.quiet;
  reader.last_login = now;
  reader.repeats = is_first ? 0 : std::min(reader.repeats + 1, k_most_doublings);
  if (reader.repeats == 0) return {};
  return std::min(desk_.config.delay * (std::int64_t{1} << (reader.repeats - 1)), desk_.config.longest_delay);
}

void ServerSession::answer_login(time::Time now) {
  const bool is_sent = send(LoginResponse{.status = login_status_});
  if (!is_sent) return cut();
  if (login_status_ != 'A') {
    ++desk_.counts.logins_refused;
    return close(link::CloseReason::by_us);
  }
  ++desk_.counts.logins;
  state_ = State::open;
  limit_.arm(now + desk_.config.patience);
}

// ---- Requests ------------------------------------------------------------------------------------------------------

template <class Wanted>
void ServerSession::take_request(Bytes message, time::Time now) {
  if (requests_.size() == requests_.capacity()) return cut();  // one unit with more messages than anybody asks
  desk_.look_at_day(now);
  ++desk_.counts.requests;
  Request request;
  const Result<Wanted> wanted = decode<Wanted>(message);
  if (wanted) {
    if constexpr (std::is_same_v<Wanted, ReplayRequest>)
      request.replay = *wanted;
    else
      request.snapshot = *wanted;
    const bool is_beyond_day = ++reader_->requests > desk_.config.requests;
    if (is_beyond_day) request.status = desk_.config.channel == FeedChannel::replay ? 'D' : 'b';
    if (requests_.size() > desk_.config.waiting) request.status = 'c';
  } else {
    request.status = load_little<char>(message, 1) == Wanted::k_type ? 'e' : 'd';
  }
  put(request, now);
}

void ServerSession::put(const Request& request, time::Time now) {
  DOJIMA_ASSERT(requests_.size() < requests_.capacity(), "looked at before", requests_.size());
  requests_.push_back(request);
  if (has_no_room_) return;  // its time to read runs
  limit_.disarm();
  turn_.arm(now);
}

char ServerSession::status_of(const ReplayRequest& wanted) const {
  if (!desk_.is_available) return 'U';
  const PublishedFeed* const feed = desk_.find(wanted.market_data_group);
  if (feed == nullptr) return 'I';
  const std::uint64_t end = std::uint64_t{wanted.first_message} + wanted.count;
  const bool is_there = wanted.count != 0 && wanted.first_message != 0 && feed->last() != 0 &&
                        wanted.first_message >= feed->oldest() && end - 1 <= feed->last();
  return is_there ? 'A' : 'O';
}

char ServerSession::status_of(const SnapshotRequest& wanted) const {
  if (!desk_.is_available) return 'U';
  return snapshot_.has(wanted) ? 'A' : 'a';
}

/// One after the other, as long as there is room and until the session has had its share of this turn.
void ServerSession::serve(time::Time now) {
  std::size_t allowance = desk_.config.bytes_a_turn;
  while (state_ == State::open && !requests_.empty() && allowance != 0) {
    Request& request = requests_.front();
    const bool is_replay = desk_.config.channel == FeedChannel::replay;
    const bool is_over =
        answer(request) &&
        (request.status != 'A' || (is_replay ? send_messages(request, allowance) : send_snapshot(request, allowance)));
    if (state_ != State::open) return;
    if (has_no_room_) return limit_.arm(now + desk_.config.stall);
    if (!is_over) continue;
    requests_.erase(requests_.begin());
    transport_->set_reading(true);
  }
  if (state_ != State::open) return;
  if (requests_.empty())
    limit_.arm(now + desk_.config.patience);
  else
    turn_.arm(now);
}

/// Says what becomes of the request, once. False: there is no room for that.
bool ServerSession::answer(Request& request) {
  if (request.is_answered) return true;
  const bool is_replay = desk_.config.channel == FeedChannel::replay;
  if (request.status == '\0') request.status = is_replay ? status_of(request.replay) : status_of(request.snapshot);
  const bool is_good = request.status == 'A';
  if (is_replay) {
    group_ = request.replay.market_data_group;
    request.next = request.replay.first_message;
    request.is_answered = send(ReplayResponse{.market_data_group = request.replay.market_data_group,
                                              .first_message = is_good ? request.replay.first_message : 0,
                                              .count = is_good ? request.replay.count : std::uint16_t{0},
                                              .status = request.status});
  } else {
    request.is_answered = send(SnapshotResponse{.status = request.status});
    if (request.is_answered && is_good) snapshot_.begin(request.snapshot);
  }
  if (request.is_answered && !is_good) ++desk_.counts.requests_refused;
  return request.is_answered;
}

/// Whether all of them have left.
bool ServerSession::send_messages(Request& request, std::size_t& allowance) {
  const PublishedFeed& feed = *desk_.find(request.replay.market_data_group);
  const std::uint64_t end = std::uint64_t{request.replay.first_message} + request.replay.count;
  while (request.next < end && allowance != 0) {
    const Room room = transport_->prepare(desk_.config.unit_size);
    if (room.empty()) {
      has_no_room_ = true;
      return false;
    }
    UnitWriter unit(room, feed.group());
    unit.begin(request.next);
    while (request.next < end) {
      const Bytes message = feed.message(request.next);
      if (message.empty()) {
        // The reader was so slow that newer messages took the place of those that it was promised.
        ++desk_.counts.slow;
        close(link::CloseReason::output_overflow);
        return false;
      }
      if (!unit.append_encoded(message)) break;
      ++request.next;
    }
    desk_.counts.messages += unit.message_count();
    transport_->commit(unit.finish().size());
    allowance -= std::min(allowance, unit.size());
  }
  return request.next == end;
}

bool ServerSession::send_snapshot(Request&, std::size_t& allowance) {
  while (allowance != 0) {
    const Bytes rest = snapshot_.rest();
    if (rest.empty()) {
      desk_.counts.snapshots += snapshot_.instruments();
      desk_.counts.messages += snapshot_.messages();
      snapshot_.end();
      return true;
    }
    const std::size_t size = std::min({rest.size(), allowance, desk_.config.unit_size});
    const Room room = transport_->prepare(size);
    if (room.empty()) {
      has_no_room_ = true;
      return false;
    }
    std::copy_n(rest.begin(), size, room.begin());
    transport_->commit(size);
    snapshot_.consume(size);
    allowance -= size;
  }
  return false;
}

template <class Message>
bool ServerSession::send(const Message& message) {
  const Room room = transport_->prepare(k_administrative_unit);
  if (room.empty()) {
    has_no_room_ = true;
    return false;
  }
  UnitWriter unit(room, group_);
  unit.begin(0);
  const Result<void> added = unit.append(message);
  DOJIMA_ASSERT(added.has_value(), "an answer can be written", Message::k_type);
  transport_->commit(unit.finish().size());
  return true;
}

void ServerSession::on_writable(time::Time now) {
  if (!std::exchange(has_no_room_, false) || state_ != State::open) return;
  limit_.disarm();
  turn_.arm(now);
}

void ServerSession::on_limit(time::Time now) {
  if (state_ == State::delayed) return asked_as_ != nullptr ? go_on_with_login(now) : answer_login(now);
  if (!has_no_room_) return cut();
  ++desk_.counts.slow;
  close(link::CloseReason::output_overflow);
}

}  // namespace dojima::mitch
