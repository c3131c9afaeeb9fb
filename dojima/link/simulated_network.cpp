#include "dojima/link/simulated_network.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/base/splitmix.hpp"

namespace dojima::link {

using sched::TimerOf;

/// One end of a stream: the transport its session writes to, and the input that arrives for that session. A stream's
/// two ends know each other only through it.
class SimulatedNetwork::End final : public Transport {
 public:
  End(SimulatedNetwork& network, Stream& stream)
      : network_(network),
        stream_(stream),
        input_(network.options_.input_capacity),
        output_(network.options_.output_capacity),
        arriving_(network.options_.output_capacity + network.options_.input_capacity),
        arrival_(network.scheduler_, *this),
        notice_(network.scheduler_, *this) {}

  Room prepare(std::size_t size) override {
    if (state_ != State::open) return {};
    const Room room = output_.prepare(size);
    wants_room_ = wants_room_ || room.empty();
    return room;
  }

  void commit(std::size_t size) override {
    output_.commit(size);
    bytes_committed_ += size;
  }

  [[nodiscard]] std::size_t unsent() const override { return output_.size(); }
  void flush() override;
  void close(CloseReason reason) override;
  void set_reading(bool is_wanted) override;

  enum class State : std::uint8_t { connecting, open, closing, closed };

  struct Piece {  // what arrives together: until here in the stream of bytes, not before this time
    std::uint64_t end;
    Time at;
  };

  void take(Bytes bytes);
  void on_arrival(Time now);
  void on_notice(Time now);
  void hand_over(Time now);
  void reset();
  void end_of_stream(CloseReason reason, Time at);
  void schedule_arrival();
  [[nodiscard]] std::size_t room_for_arrivals() const noexcept { return arriving_.capacity() - arriving_.size(); }

  SimulatedNetwork& network_;
  Stream& stream_;
  End* peer_ = nullptr;
  Connection* session_ = nullptr;
  State state_ = State::connecting;
  bool is_paused_ = false;
  bool is_unread_ = false;   // the session wants no bytes now
  bool is_resumed_ = false;  // it wants them again, and has not been shown what was kept
  bool is_cut_ = false;      // the stream is broken: nothing that was on the way comes
  bool wants_room_ = false;
  CloseReason reason_ = CloseReason::none;  // for on_closed
  bool is_ending_ = false;                  // the peer's stream ends behind what has arrived
  ByteQueue input_;                         // arrived and not yet used by the session
  ByteQueue output_;                        // committed and not yet sent
  ByteQueue arriving_;                      // on the way to this end
  std::vector<Piece> pieces_;
  std::size_t next_piece_ = 0;
  std::uint64_t bytes_committed_ = 0;
  std::uint64_t bytes_taken_ = 0;
  std::uint64_t bytes_delivered_ = 0;
  Time last_arrival_{};
  TimerOf<&End::on_arrival> arrival_;
  TimerOf<&End::on_notice> notice_;  // open, closed, writable
};

struct SimulatedNetwork::Stream {
  explicit Stream(SimulatedNetwork& network) : client(network, *this), server(network, *this) {
    client.peer_ = &server;
    server.peer_ = &client;
  }
  [[nodiscard]] bool is_over() const noexcept {
    return client.state_ == End::State::closed && server.state_ == End::State::closed;
  }

  Acceptor* acceptor = nullptr;
  Address target;
  Address origin;
  End client;
  End server;
};

void SimulatedNetwork::End::flush() {
  if (output_.is_empty()) return;
  if (peer_->state_ == State::closed) return reset();
  const std::size_t size = std::min(output_.size(), peer_->room_for_arrivals());
  if (size == 0) return;
  peer_->take(output_.view().first(size));
  output_.consume(size);
}

/// Bytes for an end that is closed are answered with a reset, as TCP does: it reaches also a session that does not
/// read.
void SimulatedNetwork::End::reset() {
  if (state_ != State::open || is_cut_) return;
  is_cut_ = true;
  output_.clear();
  end_of_stream(CloseReason::by_peer, network_.arrival(Time{}));
}

void SimulatedNetwork::End::close(CloseReason reason) {
  if (state_ == State::closing || state_ == State::closed) return;
  flush();
  state_ = State::closing;
  reason_ = reason;
  arrival_.disarm();
  notice_.arm(network_.scheduler_.now());
  if (peer_->state_ != State::closed)
    peer_->end_of_stream(CloseReason::by_peer, network_.arrival(peer_->last_arrival_));
}

void SimulatedNetwork::End::set_reading(bool is_wanted) {
  if (state_ != State::open || is_unread_ != is_wanted) return;
  is_unread_ = !is_wanted;
  is_resumed_ = is_wanted;
  if (is_unread_) return arrival_.disarm();
  schedule_arrival();
  if (!input_.is_empty() && !is_paused_) arrival_.arm(network_.scheduler_.now());
  if (is_ending_) notice_.arm(std::max(last_arrival_, network_.scheduler_.now()));
}

/// Bytes leave the other end: cut into pieces, each with its time of arrival, never overtaking an earlier one.
void SimulatedNetwork::End::take(Bytes bytes) {
  const Room room = arriving_.prepare(bytes.size());
  DOJIMA_ASSERT(room.size() == bytes.size(), "the sender asked for the room first");
  std::copy(bytes.begin(), bytes.end(), room.begin());
  arriving_.commit(bytes.size());
  std::size_t left = bytes.size();
  while (left != 0) {
    const std::size_t most = network_.options_.max_delivery;
    const std::size_t size = most == 0 ? left : std::min<std::size_t>(left, 1 + network_.draw() % most);
    bytes_taken_ += size;
    left -= size;
    last_arrival_ = network_.arrival(last_arrival_);
    pieces_.push_back({bytes_taken_, last_arrival_});
  }
  schedule_arrival();
}

void SimulatedNetwork::End::schedule_arrival() {
  if (is_paused_ || is_unread_ || state_ != State::open || next_piece_ == pieces_.size()) return;
  arrival_.arm(pieces_[next_piece_].at);
}

void SimulatedNetwork::End::on_arrival(Time now) {
  if (state_ != State::open || is_paused_ || is_unread_) return;
  if (std::exchange(is_resumed_, false) && !input_.is_empty()) hand_over(now);
  while (next_piece_ < pieces_.size() && pieces_[next_piece_].at <= now && state_ == State::open && !is_unread_) {
    const auto size = static_cast<std::size_t>(pieces_[next_piece_].end - bytes_delivered_);
    const std::size_t fits = std::min(size, input_.capacity() - input_.size());
    const Room room = input_.prepare(fits);
    const Bytes bytes = arriving_.view().first(fits);
    std::copy(bytes.begin(), bytes.end(), room.begin());
    input_.commit(fits);
    arriving_.consume(fits);
    bytes_delivered_ += fits;
    if (fits == size) ++next_piece_;
    hand_over(now);
  }
  if (next_piece_ == pieces_.size()) {
    pieces_.clear();
    next_piece_ = 0;
  }
  // What waited for room on its way goes on now.
  if (!peer_->output_.is_empty() && peer_->state_ != State::closed) {
    peer_->flush();
  }
  if (peer_->wants_room_ && peer_->state_ == State::open && !peer_->is_ending_) peer_->notice_.arm(now);
  schedule_arrival();
}

void SimulatedNetwork::End::hand_over(Time now) {
  const std::size_t used = session_->on_bytes(input_.view(), now);
  input_.consume(used);
  if (used == 0 && input_.is_full() && !is_unread_) close(CloseReason::input_overflow);
}

void SimulatedNetwork::End::end_of_stream(CloseReason reason, Time at) {
  if (state_ == State::closed || state_ == State::closing) return;
  is_ending_ = true;
  reason_ = reason;
  last_arrival_ = std::max(at, last_arrival_);
  notice_.arm(last_arrival_);
}

/// Notifies the session of all but bytes: opened, refused, ended, writable.
void SimulatedNetwork::End::on_notice(Time now) {
  if (state_ == State::connecting && !is_ending_) {
    const bool is_client = this == &stream_.client;
    if (is_client) {
      const auto listener = network_.listeners_.find(stream_.target);
      stream_.acceptor = listener == network_.listeners_.end() ? nullptr : listener->second;
      stream_.server.session_ = stream_.acceptor == nullptr ? nullptr : stream_.acceptor->on_accept(stream_.origin);
      if (stream_.server.session_ == nullptr) {
        state_ = stream_.server.state_ = State::closed;
        session_->on_closed(CloseReason::refused, now);
        return;
      }
      stream_.server.state_ = State::open;
      state_ = State::open;
      stream_.server.session_->on_open(stream_.server, now);
      session_->on_open(*this, now);
    }
    return;
  }
  if (state_ == State::closing || is_ending_) {
    // The peer's last bytes come before its end.
    if (state_ == State::open && !is_paused_) on_arrival(now);
    if (state_ == State::open && is_unread_ && !is_cut_) return;
    state_ = State::closed;
    arrival_.disarm();
    // The session may have closed because of those bytes, which armed this notice again; it is notified only once.
    notice_.disarm();
    if (peer_->state_ == State::open)
      peer_->end_of_stream(CloseReason::by_peer, network_.arrival(peer_->last_arrival_));
    session_->on_closed(reason_, now);
    return;
  }
  if (state_ == State::open && wants_room_) {
    wants_room_ = false;
    session_->on_writable(now);
  }
}

SimulatedNetwork::SimulatedNetwork(sched::Scheduler& scheduler, SimulatedNetworkOptions options)
    : scheduler_(scheduler), options_(options), random_(options.seed) {}

SimulatedNetwork::~SimulatedNetwork() = default;

std::uint64_t SimulatedNetwork::draw() noexcept {
  return splitmix64(random_);
}

Time SimulatedNetwork::arrival(Time earliest) noexcept {
  time::Duration delay = options_.delay;
  if (options_.jitter.count() > 0) {
    delay +=
        time::Duration{static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(options_.jitter.count() + 1))};
  }
  return std::max(earliest, scheduler_.now() + delay);
}

Result<Address> SimulatedNetwork::listen(const Address& address, Acceptor& acceptor) {
  Address chosen = address;
  if (chosen.port == 0) chosen.port = next_port_++;
  if (!listeners_.emplace(chosen, &acceptor).second)
    return fail(ErrorCode::unavailable, 0, 0, chosen.port, "a port that nobody listens on");
  return chosen;
}

void SimulatedNetwork::stop_listening(const Address& address) {
  listeners_.erase(address);
}

void SimulatedNetwork::connect(const Address& address, Connection& connection) {
  sweep();
  streams_.push_back(std::make_unique<Stream>(*this));
  Stream& stream = *streams_.back();
  stream.target = address;
  stream.origin = Address{host_, next_port_++};
  stream.client.session_ = &connection;
  stream.client.notice_.arm(arrival(Time{}));
}

SimulatedNetwork::End* SimulatedNetwork::end_of(const Connection& connection) noexcept {
  for (auto& stream : streams_) {
    for (End* end : {&stream->client, &stream->server}) {
      if (end->session_ == &connection && end->state_ != End::State::closed) return end;
    }
  }
  return nullptr;
}

void SimulatedNetwork::cut(const Connection& connection) {
  End* end = end_of(connection);
  if (end == nullptr) return;
  for (End* side : {end, end->peer_}) {
    if (side->state_ != End::State::open) continue;
    // What is on the way is lost.
    side->is_cut_ = true;
    side->arriving_.clear();
    side->output_.clear();
    side->pieces_.clear();
    side->next_piece_ = 0;
    side->bytes_taken_ = side->bytes_delivered_;
    side->arrival_.disarm();
    side->end_of_stream(CloseReason::by_peer, arrival(Time{}));
  }
}

void SimulatedNetwork::pause(const Connection& connection) {
  if (End* end = end_of(connection)) {
    end->is_paused_ = true;
    end->arrival_.disarm();
  }
}

void SimulatedNetwork::resume(const Connection& connection) {
  if (End* end = end_of(connection)) {
    end->is_paused_ = false;
    end->schedule_arrival();
  }
}

std::size_t SimulatedNetwork::open_streams() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(streams_.begin(), streams_.end(), [](const auto& stream) { return !stream->is_over(); }));
}

std::size_t SimulatedNetwork::finish(Time) {
  std::size_t sent = 0;
  for (auto& stream : streams_) {
    for (End* end : {&stream->client, &stream->server}) {
      if (end->state_ != End::State::open || end->output_.is_empty()) continue;
      const std::size_t before = end->output_.size();
      end->flush();
      if (end->output_.size() != before) ++sent;
    }
  }
  return sent;
}

/// Forgets streams that are over. A session may connect again from inside its on_closed: that is the last thing its
/// old end does.
void SimulatedNetwork::sweep() {
  std::erase_if(streams_, [](const auto& stream) { return stream->is_over(); });
}

}  // namespace dojima::link
