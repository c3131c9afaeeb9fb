#include "dojima/link/busy_host.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/link/buffer.hpp"

namespace dojima::link {

/// One connection: below it the network's transport, above it the session, between them what waits to be served.
class BusyHost::Line final : public Connection, public Transport {
 public:
  Line(BusyHost& host, Connection& session, bool is_accepted)
      : host_(host), session_(session), is_accepted_(is_accepted), input_(host.options_.input_capacity) {}

  /// Nothing more is asked of it.
  [[nodiscard]] bool is_over() const noexcept { return is_over_ && !is_resuming_; }

  // Connection, to the network.
  void on_open(Transport& transport, Time now) override {
    under_ = &transport;
    session_.on_open(*this, now);
  }
  std::size_t on_bytes(Bytes bytes, Time) override {
    if (is_closing_) return bytes.size();
    const Room room = input_.prepare(bytes.size());
    if (room.empty()) {
      close(CloseReason::input_overflow);
      return bytes.size();
    }
    std::copy(bytes.begin(), bytes.end(), room.begin());
    input_.commit(bytes.size());
    // A message of no service may be handed over at once, and its session may close.
    while (!is_closing_ && framed_ < input_.size()) {
      const Work work = host_.model_.take(input_.view().subspan(framed_), is_accepted_);
      if (work.size == 0) break;
      DOJIMA_ASSERT(work.size <= input_.size() - framed_ && work.service >= time::Duration{0},
                    "a message lies within what arrived", work.size, input_.size() - framed_, work.service.count());
      framed_ += work.size;
      host_.enqueue(*this, work, Job::Kind::message);
    }
    return bytes.size();
  }
  void on_writable(Time now) override { session_.on_writable(now); }
  /// While the session wants no bytes only a break gets here: it is reported whatever waits.
  void on_closed(CloseReason reason, Time) override {
    under_ = nullptr;
    reason_ = reason;
    is_broken_ = is_unread_;
    host_.enqueue(*this, {}, Job::Kind::end);
  }

  // Transport, to the session. It outlives the one below until what has arrived is served.
  Room prepare(std::size_t size) override { return under_ == nullptr ? Room{} : under_->prepare(size); }
  void commit(std::size_t size) override {
    if (under_ != nullptr) under_->commit(size);
  }
  [[nodiscard]] std::size_t unsent() const override { return under_ == nullptr ? 0 : under_->unsent(); }
  void flush() override {
    if (under_ != nullptr) under_->flush();
  }
  void close(CloseReason reason) override {
    is_closing_ = true;
    is_unread_ = false;
    if (under_ != nullptr) under_->close(reason);
    if (is_end_due_) resume();
  }
  /// What was taken for this host is served meanwhile and waits here, what comes later in the network below.
  void set_reading(bool is_wanted) override {
    if (is_closing_ || is_over_ || is_unread_ != is_wanted) return;
    is_unread_ = !is_wanted;
    if (under_ != nullptr) under_->set_reading(is_wanted);
    if (is_wanted && (released_ != 0 || is_end_due_)) resume();
  }

  /// The next `size` bytes have been served; 0: bytes are wanted again.
  void hand_over(std::size_t size, Time now) {
    if (size == 0) is_resuming_ = false;
    if (is_closing_ || is_over_) return;
    released_ += size;
    if (is_unread_ || released_ == 0) return;
    const std::size_t used = session_.on_bytes(input_.view().first(released_), now);
    DOJIMA_ASSERT(used <= released_, "a session uses what it was given", used, released_);
    input_.consume(used);
    released_ -= used;
    framed_ -= used;
  }
  /// Whether the end can be reported to its session now; else that follows what waits.
  [[nodiscard]] bool may_end() noexcept {
    if (is_over_) return false;
    is_end_due_ = is_unread_ && !is_broken_;
    return !is_end_due_;
  }
  [[nodiscard]] bool is_end_due() const noexcept { return is_end_due_; }
  void end(Time now) {
    is_over_ = true;
    session_.on_closed(reason_, now);
  }

 private:
  /// From the loop.
  void resume() {
    if (!std::exchange(is_resuming_, true)) host_.enqueue(*this, {}, Job::Kind::resumption);
  }

  BusyHost& host_;
  Connection& session_;
  Transport* under_ = nullptr;
  bool is_accepted_;
  bool is_closing_ = false;
  bool is_over_ = false;
  bool is_unread_ = false;   // the session wants no bytes now
  bool is_broken_ = false;   // while it wanted none
  bool is_end_due_ = false;  // its turn has come
  bool is_resuming_ = false;
  CloseReason reason_ = CloseReason::none;
  ByteQueue input_;
  std::size_t framed_ = 0;    // bytes that are whole messages: served or waiting to be
  std::size_t released_ = 0;  // of these, served and not used by the session yet
};

/// Puts a line of the host between each accepted connection and its session.
struct BusyHost::ServedAcceptor final : Acceptor {
  ServedAcceptor(BusyHost& its_host, Acceptor& its_acceptor) : host(its_host), acceptor(its_acceptor) {}
  Connection* on_accept(const Address& peer) override {
    Connection* const session = acceptor.on_accept(peer);
    return session == nullptr ? nullptr : &host.add_line(*session, true);
  }
  BusyHost& host;
  Acceptor& acceptor;
};

BusyHost::BusyHost(Fabric& under, sched::Scheduler& scheduler, ServiceModel& model, ServiceObserver* observer,
                   BusyHostOptions options)
    : under_(under),
      scheduler_(scheduler),
      model_(model),
      observer_(observer),
      options_(std::move(options)),
      service_end_(scheduler, *this) {}

BusyHost::~BusyHost() = default;

Result<Address> BusyHost::listen(const Address& address, Acceptor& acceptor) {
  acceptors_.push_back(std::make_unique<ServedAcceptor>(*this, acceptor));
  Result<Address> bound = under_.listen(address, *acceptors_.back());
  if (!bound) acceptors_.pop_back();
  return bound;
}

void BusyHost::connect(const Address& address, Connection& connection) {
  under_.connect(address, add_line(connection, false));
}

BusyHost::Line& BusyHost::add_line(Connection& session, bool is_accepted) {
  // The line whose end is being reported now is not over yet for the caller of this, but is not used again.
  std::erase_if(lines_, [this](const auto& line) { return line->is_over() && line.get() != ending_; });
  lines_.push_back(std::make_unique<Line>(*this, session, is_accepted));
  return *lines_.back();
}

void BusyHost::enqueue(Line& line, const Work& work, Job::Kind kind) {
  const Time now = scheduler_.now();
  const auto [start, end] = options_.interruptions.work(std::max(now, free_at_), work.service);
  free_at_ = end;
  const Job job{.line = &line,
                .size = work.size,
                .served = {.arrival = now, .start = start, .end = free_at_, .kind = work.kind},
                .kind = kind};
  // A session that wants bytes again is not shown them before its call returns.
  if (waiting() == 0 && free_at_ == now && kind != Job::Kind::resumption) return serve(job);
  if (next_job_ == jobs_.size()) {
    jobs_.clear();
    next_job_ = 0;
  } else if (next_job_ >= 1024 && next_job_ * 2 >= jobs_.size()) {
    jobs_.erase(jobs_.begin(), jobs_.begin() + static_cast<std::ptrdiff_t>(next_job_));
    next_job_ = 0;
  }
  jobs_.push_back(job);
  if (waiting() == 1) service_end_.arm(job.served.end);
}

void BusyHost::serve(const Job& job) {
  Line& line = *job.line;
  if (job.kind != Job::Kind::resumption) current_ = job.served;
  if (job.kind == Job::Kind::message && observer_ != nullptr) observer_->on_served(current_);
  if (job.kind != Job::Kind::end) line.hand_over(job.size, job.served.end);
  const bool is_over = job.kind == Job::Kind::end || (job.kind == Job::Kind::resumption && line.is_end_due());
  if (!is_over || !line.may_end()) return;
  ending_ = &line;
  line.end(job.served.end);
  ending_ = nullptr;
}

void BusyHost::on_service_end(Time now) {
  while (waiting() != 0 && jobs_[next_job_].served.end <= now) {
    const Job job = jobs_[next_job_++];
    serve(job);
  }
  if (waiting() != 0) service_end_.arm(jobs_[next_job_].served.end);
}

}  // namespace dojima::link
