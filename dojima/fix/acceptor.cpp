#include "dojima/fix/acceptor.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/fix/frame.hpp"

namespace dojima::fix {

/// One connection: listens for the first message, then hands everything to the session that it named.
class SessionAcceptor::Link final : public link::Connection {
 public:
  Link(sched::Scheduler& scheduler, SessionAcceptor& owner)
      : owner_(owner), scheduler_(scheduler), timer_(scheduler, *this) {}

  [[nodiscard]] bool is_used() const noexcept { return is_used_; }
  void take() noexcept { is_used_ = true; }

  void on_open(link::Transport& transport, Time now) override {
    transport_ = &transport;
    timer_.arm(std::max(now, scheduler_.now()) + owner_.options_.logon_timeout);
  }

  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override {
    if (session_ != nullptr) return session_->on_bytes(bytes, now);
    if (is_closing_) return bytes.size();
    const FrameSearch found = find_frame(bytes, owner_.options_.max_body);
    if (found.state == FrameState::incomplete) return 0;
    Session* session = found.state == FrameState::whole ? owner_.session_of(found.frame) : nullptr;
    if (session == nullptr || session->is_connected()) {
      close();
      return bytes.size();
    }
    timer_.disarm();
    session_ = session;
    DOJIMA_ASSERT(owner_.unknown_ > 0 && owner_.unknown_ <= owner_.used_, "an unknown link is one of those in use",
                  owner_.unknown_, owner_.used_);
    --owner_.unknown_;
    session_->on_open(*transport_, now);
    return session_->on_bytes(bytes, now);
  }

  void on_writable(Time now) override {
    if (session_ != nullptr) session_->on_writable(now);
  }

  void on_closed(link::CloseReason reason, Time now) override {
    timer_.disarm();
    Session* session = session_;
    if (session == nullptr) --owner_.unknown_;
    --owner_.used_;
    session_ = nullptr;
    transport_ = nullptr;
    is_used_ = is_closing_ = false;
    if (session != nullptr) session->on_closed(reason, now);
  }

 private:
  void on_silence(Time) { close(); }

  void close() {
    timer_.disarm();
    is_closing_ = true;
    transport_->close(link::CloseReason::by_us);
  }

  SessionAcceptor& owner_;
  sched::Scheduler& scheduler_;
  link::Transport* transport_ = nullptr;
  Session* session_ = nullptr;
  bool is_used_ = false;
  bool is_closing_ = false;
  sched::TimerOf<&Link::on_silence> timer_;
};

SessionAcceptor::SessionAcceptor(sched::Scheduler& scheduler, SessionAcceptorOptions options) : options_(options) {
  links_.reserve(options.links);
  for (std::size_t link = 0; link < options.links; ++link) links_.push_back(std::make_unique<Link>(scheduler, *this));
}

SessionAcceptor::~SessionAcceptor() = default;

bool SessionAcceptor::add(Session& session) {
  const SessionConfig& own = session.config();
  const bool is_there = std::ranges::any_of(sessions_, [&](const Session* other) {
    return other->config().begin_string == own.begin_string && other->config().sender_comp_id == own.sender_comp_id &&
           other->config().target_comp_id == own.target_comp_id;
  });
  if (is_there) return false;
  sessions_.push_back(&session);
  return true;
}

link::Connection* SessionAcceptor::on_accept(const link::Address&) {
  if (unknown_ >= options_.unknown_links) return nullptr;
  const auto free = std::ranges::find_if(links_, [](const auto& link) { return !link->is_used(); });
  if (free == links_.end()) return nullptr;
  (*free)->take();
  ++used_;
  ++unknown_;
  return free->get();
}

/// The session that a first message names; null when it is no Logon or names none.
Session* SessionAcceptor::session_of(const Frame& frame) noexcept {
  if (!view_.read(frame) || view_.msg_type() != type::k_logon) return nullptr;
  for (Session* session : sessions_) {
    const SessionConfig& config = session->config();
    if (view_.find(tag::k_begin_string) == config.begin_string &&
        view_.find(tag::k_sender_comp_id) == config.target_comp_id &&
        view_.find(tag::k_target_comp_id) == config.sender_comp_id)
      return session;
  }
  return nullptr;
}

}  // namespace dojima::fix
