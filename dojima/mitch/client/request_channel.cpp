#include "dojima/mitch/client/request_channel.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::mitch {
namespace {

constexpr std::size_t k_request_unit = 64;  // room for any of them
constexpr unsigned k_most_tries = 16;       // that make the next one later
/// With nothing to ask for until it logs out: logins are delayed and counted, and the server waits for five seconds.
constexpr time::Duration k_linger = std::chrono::seconds{3};

}  // namespace

RequestChannel::RequestChannel(FeedChannel channel, const FeedClientOptions& options, const link::Address& where,
                               sched::Scheduler& scheduler, link::Fabric& fabric, RequestOwner& owner)
    : channel_(channel), options_(options), where_(where), fabric_(fabric), owner_(owner), timer_(scheduler, *this) {}

void RequestChannel::ask(const FeedRequest& request, time::Time now) {
  if (is_stopped_) return;
  const auto begin = requests_.begin() + (is_dropped_ ? 1 : 0);
  if (std::find(begin, requests_.end(), request) != requests_.end()) return;
  requests_.push_back(request);
  if (state_ == State::idle) connect();
  if (state_ == State::ready) ask_next(now);
}

void RequestChannel::drop(char group) {
  const bool has_begun = state_ == State::asked || state_ == State::receiving || is_dropped_;
  if (requests_.empty()) return;
  if (has_begun && requests_.front().group == group) is_dropped_ = true;
  const auto begin = requests_.begin() + (has_begun ? 1 : 0);
  requests_.erase(std::remove_if(begin, requests_.end(), [group](const auto& each) { return each.group == group; }),
                  requests_.end());
}

std::size_t RequestChannel::requested(char group) const noexcept {
  const auto begin = requests_.begin() + (is_dropped_ ? 1 : 0);
  const auto count = std::count_if(begin, requests_.end(), [group](const auto& each) { return each.group == group; });
  return static_cast<std::size_t>(count);
}

void RequestChannel::stop() {
  is_stopped_ = true;
  requests_.clear();
  is_dropped_ = false;
  if (transport_ != nullptr && state_ != State::closing) {
    if (state_ != State::logging_in) send(LogoutRequest{});
    close();
  }
  timer_.disarm();
}

void RequestChannel::connect() {
  state_ = State::connecting;
  status_ = '\0';
  timer_.disarm();
  fabric_.connect(where_, *this);
}

void RequestChannel::on_open(link::Transport& transport, time::Time now) {
  transport_ = &transport;
  state_ = State::logging_in;
  if (is_stopped_) return close();
  send(LoginRequest{.username = Text<6>::cut(options_.user), .password = Text<10>::cut(options_.password)});
  timer_.arm(now + options_.answer);
}

void RequestChannel::close() {
  state_ = State::closing;
  timer_.disarm();
  transport_->close(link::CloseReason::by_us);
}

/// Tries again, later each time, as long as there is something to ask for.
void RequestChannel::on_closed(link::CloseReason, time::Time now) {
  transport_ = nullptr;
  state_ = State::idle;
  timer_.disarm();
  came_ = 0;
  if (std::exchange(is_dropped_, false)) requests_.erase(requests_.begin());
  if (requests_.empty() || is_stopped_) {
    is_leaving_ = false;
    return;
  }
  if (std::exchange(is_leaving_, false)) return connect();
  ++tries_;
  const FeedRequest request = requests_.front();
  state_ = State::waiting;
  const unsigned doublings = std::min(tries_, k_most_tries) - 1;
  timer_.arm(now + std::min(options_.retry * (std::int64_t{1} << doublings), options_.longest_retry));
  owner_.on_lost(*this, request, std::exchange(status_, '\0'), tries_, now);
}

void RequestChannel::on_timer(time::Time /*now*/) {
  if (state_ == State::waiting) {
    if (!requests_.empty()) return connect();
    state_ = State::idle;
    return;
  }
  if (transport_ == nullptr || state_ == State::closing) return;
  if (state_ == State::ready) {
    send(LogoutRequest{});
    is_leaving_ = true;
  }
  close();  // or it says nothing
}

void RequestChannel::ask_next(time::Time now) {
  came_ = 0;
  if (requests_.empty()) return timer_.arm(now + k_linger);
  const FeedRequest& request = requests_.front();
  state_ = State::asked;
  timer_.arm(now + options_.answer);
  if (channel_ == FeedChannel::replay)
    send(ReplayRequest{.market_data_group = request.group, .first_message = request.first, .count = request.count});
  else
    send(SnapshotRequest{.segment = request.segment, .instrument_id = request.instrument});
}

std::size_t RequestChannel::on_bytes(Bytes bytes, time::Time now) {
  std::size_t used = 0;
  while (state_ != State::closing) {
    const Result<Unit> unit = read_unit(bytes.subspan(used));
    if (!unit && unit.error().code == ErrorCode::incomplete) return used;
    if (!unit) {
      close();
      break;
    }
    used += unit->size();
    timer_.arm(now + options_.answer);
    on_unit(*unit, now);
  }
  return bytes.size();
}

void RequestChannel::on_unit(const Unit& unit, time::Time now) {
  if (unit.is_heartbeat()) return;
  const Bytes first = *unit.begin();
  switch (state_) {
    case State::logging_in:
      return on_login(first, now);
    case State::asked:
      return on_answer(first, now);
    case State::receiving:
      return channel_ == FeedChannel::replay ? on_replayed(unit, now) : on_snapshot(unit, now);
    default:
      return;  // what follows an answer, and was not asked for
  }
}

void RequestChannel::on_login(Bytes message, time::Time now) {
  const Result<LoginResponse> response = decode<LoginResponse>(message);
  if (!response) return close();
  if (response->status != 'A') {
    status_ = response->status;
    return close();
  }
  state_ = State::ready;
  ask_next(now);
}

/// What still comes of the request before, such as a book of quotes, is left out.
void RequestChannel::on_answer(Bytes message, time::Time now) {
  const char type = load_little<char>(message, 1);
  if (channel_ == FeedChannel::replay && type == ReplayResponse::k_type)
    return take_answer<ReplayResponse>(message, now);
  if (channel_ == FeedChannel::recovery && type == SnapshotResponse::k_type)
    return take_answer<SnapshotResponse>(message, now);
}

template <class Response>
void RequestChannel::take_answer(Bytes message, time::Time now) {
  const Result<Response> response = decode<Response>(message);
  if (!response) return close();
  tries_ = 0;
  state_ = State::receiving;
  if (!is_dropped_) owner_.on_answered(*this, requests_.front(), response->status, now);
  if (response->status == 'A') return;
  is_dropped_ = true;  // it is over, and not done
  finish(now);
}

void RequestChannel::on_replayed(const Unit& unit, time::Time now) {
  const FeedRequest request = requests_.front();
  std::uint32_t number = unit.header().sequence_number;
  for (const Bytes message : unit) {
    if (is_administrative(load_little<char>(message, 1))) return close();
    if (number < request.first || number - request.first >= request.count) return close();
    if (!is_dropped_) owner_.on_replayed(request, number, message, now);
    ++number;
    ++came_;
  }
  if (came_ == request.count) finish(now);
}

void RequestChannel::on_snapshot(const Unit& unit, time::Time now) {
  const FeedRequest request = requests_.front();
  const char group = unit.header().market_data_group;
  for (const Bytes message : unit) {
    if (load_little<char>(message, 1) != SnapshotComplete::k_type) {
      if (!is_dropped_) owner_.on_snapshot_message(group, message);
      continue;
    }
    const Result<SnapshotComplete> complete = decode<SnapshotComplete>(message);
    if (!complete) return close();
    const bool is_of_segment = !complete->segment.is_empty();
    if (!is_of_segment && !is_dropped_) owner_.on_snapshot_complete(group, *complete, now);
    const bool is_over = request.segment.is_empty() ? complete->instrument_id == request.instrument : is_of_segment;
    if (is_over) return finish(now);
  }
}

/// The owner may ask for more before the channel logs out.
void RequestChannel::finish(time::Time now) {
  const FeedRequest request = requests_.front();
  requests_.erase(requests_.begin());
  state_ = State::ready;
  if (!std::exchange(is_dropped_, false)) owner_.on_done(*this, request, now);
  if (state_ == State::ready) ask_next(now);
}

template <class Message>
void RequestChannel::send(const Message& message) {
  const Room room = transport_->prepare(k_request_unit);
  if (room.empty()) return;  // it says nothing, and is given up
  UnitWriter unit(room, '1');
  unit.begin(0);
  const Result<void> added = unit.append(message);
  DOJIMA_ASSERT(added.has_value(), "a request can be written", Message::k_type);
  transport_->commit(unit.finish().size());
}

}  // namespace dojima::mitch
