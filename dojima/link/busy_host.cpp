#include "dojima/link/busy_host.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/link/buffer.hpp"

namespace dojima::link {

/// One connection: below it the network's transport, above it the session, between them what waits to be served.
class BusyHost::Line final : public Connection, public Transport {
 public:
  Line(BusyHost& host, Connection& session, bool is_accepted)
      : host_(host), session_(session), is_accepted_(is_accepted), input_(host.options_.input_capacity) {}

  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

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
      host_.enqueue(*this, work, false);
    }
    return bytes.size();
  }
  void on_writable(Time now) override { session_.on_writable(now); }
  void on_closed(CloseReason reason, Time) override {
    under_ = nullptr;
    reason_ = reason;
    host_.enqueue(*this, {}, true);
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
    if (under_ != nullptr) under_->close(reason);
  }

  /// The next `size` bytes have been served.
  void hand_over(std::size_t size, Time now) {
    if (is_closing_) return;
    released_ += size;
    const std::size_t used = session_.on_bytes(input_.view().first(released_), now);
    DOJIMA_ASSERT(used <= released_, "a session uses what it was given", used, released_);
    input_.consume(used);
    released_ -= used;
    framed_ -= used;
  }
  void end(Time now) {
    is_over_ = true;
    session_.on_closed(reason_, now);
  }

 private:
  BusyHost& host_;
  Connection& session_;
  Transport* under_ = nullptr;
  bool is_accepted_;
  bool is_closing_ = false;
  bool is_over_ = false;
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
      options_(options),
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
  // The line whose end is being told right now is not over for the caller of this yet, but nobody looks at it again.
  std::erase_if(lines_, [this](const auto& line) { return line->is_over() && line.get() != ending_; });
  lines_.push_back(std::make_unique<Line>(*this, session, is_accepted));
  return *lines_.back();
}

void BusyHost::enqueue(Line& line, const Work& work, bool is_end) {
  const Time now = scheduler_.now();
  const Time start = std::max(now, free_at_);
  free_at_ = start + work.service;
  const Job job{.line = &line,
                .size = work.size,
                .served = {.arrival = now, .start = start, .end = free_at_, .kind = work.kind},
                .is_end = is_end};
  if (waiting() == 0 && free_at_ == now) return serve(job);
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
  current_ = job.served;
  if (job.is_end) {
    ending_ = job.line;
    job.line->end(job.served.end);
    ending_ = nullptr;
    return;
  }
  if (observer_ != nullptr) observer_->on_served(current_);
  job.line->hand_over(job.size, job.served.end);
}

void BusyHost::on_service_end(Time now) {
  while (waiting() != 0 && jobs_[next_job_].served.end <= now) {
    const Job job = jobs_[next_job_++];
    serve(job);
  }
  if (waiting() != 0) service_end_.arm(jobs_[next_job_].served.end);
}

}  // namespace dojima::link
