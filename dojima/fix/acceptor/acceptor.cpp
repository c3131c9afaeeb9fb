#include "dojima/fix/acceptor.hpp"

#include <algorithm>
#include <array>
#include <compare>

#include "dojima/base/assert.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/link/host_pattern.hpp"

namespace dojima::fix {
namespace {

struct Names {
  std::string_view begin_string, sender, target;
  friend auto operator<=>(const Names&, const Names&) = default;
};

/// As the peer of the session writes them.
Names names_of(const SessionConfig& config) noexcept {
  return {config.begin_string, config.target_comp_id, config.sender_comp_id};
}
Names names_of(const MessageView& message) noexcept {
  const auto text = [&](Tag tag) { return message.find(tag).value_or(std::string_view{}); };
  return {text(tag::k_begin_string), text(tag::k_sender_comp_id), text(tag::k_target_comp_id)};
}

/// Whether the further names of a session, where it has them, are those of the message.
bool has_further_names(const SessionConfig& config, const MessageView& message) noexcept {
  const auto fits = [&](Tag tag, const std::string& own) { return own.empty() || message.find(tag) == own; };
  return fits(tag::k_sender_sub_id, config.target_sub_id) && fits(tag::k_target_sub_id, config.sender_sub_id) &&
         fits(tag::k_sender_location_id, config.target_location_id) &&
         fits(tag::k_target_location_id, config.sender_location_id);
}

/// Room for what is known of a name, which may have any length in a session.
constexpr std::size_t k_known_text_max = 160;

std::size_t further_names(const SessionConfig& config) noexcept {
  const std::array parts{config.target_sub_id.empty(), config.sender_sub_id.empty(), config.target_location_id.empty(),
                         config.sender_location_id.empty()};
  return static_cast<std::size_t>(std::ranges::count(parts, false));
}

bool is_allowed(const SessionConfig& config, std::string_view host) noexcept {
  return config.allowed_hosts.empty() || std::ranges::any_of(config.allowed_hosts, [&](const auto& pattern) {
           return link::host_matches(host, pattern);
         });
}

}  // namespace

std::string_view text_of(Refused reason) noexcept {
  switch (reason) {
    case Refused::not_fix:
      return "not FIX";
    case Refused::not_a_logon:
      return "first message is not a Logon";
    case Refused::unknown_session:
      return "unknown session";
    case Refused::host_not_allowed:
      return "host not allowed";
    case Refused::already_connected:
      return "session already connected";
    case Refused::too_late:
      return "no Logon in time";
    case Refused::made_room:
      return "too many connections without a session";
    case Refused::no_room:
      return "too many connections";
    case Refused::logon:
      return "Logon refused";
  }
  return "unnamed reason";
}

/// One connection: listens for the first message, then hands everything to the session that it named.
class SessionAcceptor::Link final : public link::Connection {
 public:
  Link(sched::Scheduler& scheduler, SessionAcceptor& owner)
      : owner_(owner), scheduler_(scheduler), timer_(scheduler, *this) {}

  [[nodiscard]] bool is_used() const noexcept { return is_used_; }
  /// Whether it waits for its first message.
  [[nodiscard]] bool is_unknown() const noexcept { return is_used_ && session_ == nullptr && !is_closing_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::string_view host() const noexcept { return peer_.host; }

  void take(const link::Address& peer, std::uint64_t number) {
    is_used_ = true;
    peer_ = peer;
    number_ = number;
  }

  void make_room(Time now) { refuse({.peer = peer_, .reason = Refused::made_room}, now); }

  void on_open(link::Transport& transport, Time now) override {
    transport_ = &transport;
    if (is_closing_) return transport.close(link::CloseReason::by_us);
    timer_.arm(std::max(now, scheduler_.now()) + owner_.options_.logon_timeout);
  }

  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override {
    if (session_ != nullptr) return session_->on_bytes(bytes, now);
    if (is_closing_) return bytes.size();
    const FrameSearch found = find_frame(bytes, owner_.options_.max_body);
    if (found.state == FrameState::incomplete) return 0;
    Session* const session = session_named_by(found, now);
    if (session == nullptr) return bytes.size();
    timer_.disarm();
    session_ = session;
    leave_unknown();
    session_->on_open(*transport_, now);
    return session_->on_bytes(bytes, now);
  }

  void on_writable(Time now) override {
    if (session_ != nullptr) session_->on_writable(now);
  }

  void on_closed(link::CloseReason reason, Time now) override {
    timer_.disarm();
    Session* const session = session_;
    if (session == nullptr && !is_closing_) leave_unknown();
    --owner_.used_;
    session_ = nullptr;
    transport_ = nullptr;
    is_used_ = is_closing_ = false;
    if (session == nullptr) return;
    const Error refusal = session->refusal();
    if (refusal.code != ErrorCode::none) {
      const Names names = names_of(session->config());
      owner_.report(
          {peer_, Refused::logon, names.begin_string, names.sender, names.target, refusal, session->refusal_text()},
          now);
    }
    session->on_closed(reason, now);
  }

 private:
  void on_silence(Time now) { refuse({.peer = peer_, .reason = Refused::too_late}, now); }

  /// The session that may have this connection from its first message on; null: none, and the connection is refused.
  [[nodiscard]] Session* session_named_by(const FrameSearch& found, Time now) {
    if (found.state != FrameState::whole) {
      refuse({.peer = peer_, .reason = Refused::not_fix, .error = found.error}, now);
      return nullptr;
    }
    MessageView& view = owner_.view_;
    const bool is_read = view.read(found.frame).has_value();
    const Names names = names_of(view);
    const auto refused = [&](Refused reason, std::string_view text = {}) -> Session* {
      refuse({peer_, reason, names.begin_string, names.sender, names.target, {}, text}, now);
      return nullptr;
    };
    if (!is_read || view.msg_type() != type::k_logon) return refused(Refused::not_a_logon);
    Session* session = owner_.session_of(view);
    if (session == nullptr && owner_.observer_ != nullptr)
      session = owner_.observer_->on_unknown_session(view, peer_, now);
    std::array<char, k_known_text_max> room;
    if (session == nullptr) return refused(Refused::unknown_session, owner_.known_of(view, room));
    if (!is_allowed(session->config(), peer_.host)) return refused(Refused::host_not_allowed);
    if (!session->is_connected()) return session;
    session->probe(owner_.options_.probe_timeout);
    return refused(Refused::already_connected);
  }

  void refuse(const RefusedConnection& refused, Time now) {
    timer_.disarm();
    is_closing_ = true;
    leave_unknown();
    if (transport_ != nullptr) transport_->close(link::CloseReason::by_us);
    owner_.report(refused, now);
  }

  void leave_unknown() noexcept {
    DOJIMA_ASSERT(owner_.unknown_ > 0 && owner_.unknown_ <= owner_.used_, "an unknown link is one of those in use",
                  owner_.unknown_, owner_.used_);
    --owner_.unknown_;
  }

  SessionAcceptor& owner_;
  sched::Scheduler& scheduler_;
  link::Transport* transport_ = nullptr;
  Session* session_ = nullptr;
  link::Address peer_;
  std::uint64_t number_ = 0;
  bool is_used_ = false;
  bool is_closing_ = false;
  sched::TimerOf<&Link::on_silence> timer_;
};

SessionAcceptor::SessionAcceptor(sched::Scheduler& scheduler, SessionAcceptorOptions options,
                                 AcceptorObserver* observer)
    : options_(options), scheduler_(scheduler), observer_(observer), shares_(options.links) {
  links_.reserve(options.links);
  waiting_.reserve(options.links);
  for (std::size_t link = 0; link < options.links; ++link) links_.push_back(std::make_unique<Link>(scheduler, *this));
}

SessionAcceptor::~SessionAcceptor() = default;

bool SessionAcceptor::add(Session& session) {
  const SessionConfig& own = session.config();
  const auto by_names = [](const Session* other) { return names_of(other->config()); };
  const auto [first, last] = std::ranges::equal_range(sessions_, names_of(own), {}, by_names);
  const bool is_there = std::any_of(first, last, [&](const Session* other) {
    const SessionConfig& config = other->config();
    return config.sender_sub_id == own.sender_sub_id && config.target_sub_id == own.target_sub_id &&
           config.sender_location_id == own.sender_location_id && config.target_location_id == own.target_location_id;
  });
  if (is_there) return false;
  sessions_.insert(last, &session);
  return true;
}

link::Connection* SessionAcceptor::on_accept(const link::Address& peer) {
  const Time now = scheduler_.now();
  if (unknown_ >= options_.unknown_links) make_room_for(peer, now);
  const auto free = std::ranges::find_if(links_, [](const auto& link) { return !link->is_used(); });
  if (free == links_.end()) {
    report({.peer = peer, .reason = Refused::no_room}, now);
    return nullptr;
  }
  (*free)->take(peer, ++accepted_);
  ++used_;
  ++unknown_;
  return free->get();
}

void SessionAcceptor::on_turned_away(const link::Address& peer) {
  const Time now = scheduler_.now();
  report({.peer = peer, .reason = Refused::no_room}, now);
  make_room_for(peer, now);
}

void SessionAcceptor::make_room_for(const link::Address& peer, Time now) {
  shares_.begin();
  waiting_.clear();
  for (const auto& link : links_) {
    if (!link->is_unknown()) continue;
    shares_.add(link->host(), link->number());
    waiting_.push_back(link.get());
  }
  if (const auto chosen = shares_.choose(peer.host)) waiting_[*chosen]->make_room(now);
}

void SessionAcceptor::report(const RefusedConnection& refused, Time now) {
  if (observer_ != nullptr) observer_->on_refused(refused, now);
}

std::string_view SessionAcceptor::known_of(const MessageView& logon, std::span<char> room) const noexcept {
  const Names asked = names_of(logon);
  const Session* nearest = nullptr;
  const auto is_nearer = [&](const Names& one, const Names& other) {
    return (one.target == asked.target) > (other.target == asked.target) ||
           ((one.target == asked.target) == (other.target == asked.target) &&
            (one.begin_string == asked.begin_string) > (other.begin_string == asked.begin_string));
  };
  for (const Session* const session : sessions_) {
    const Names names = names_of(session->config());
    if (names.sender != asked.sender) continue;
    if (nearest == nullptr || is_nearer(names, names_of(nearest->config()))) nearest = session;
  }
  if (nearest == nullptr) return {};
  const Names known = names_of(nearest->config());
  std::size_t size = 0;
  const auto add = [&](std::string_view part) {
    const std::size_t fits = std::min(part.size(), room.size() - size);
    std::copy_n(part.data(), fits, room.data() + size);
    size += fits;
  };
  add("this SenderCompID(49) is known ");
  if (known.target != asked.target) {
    add("to TargetCompID(56)=");
    add(known.target);
  } else if (known.begin_string != asked.begin_string) {
    add("with BeginString(8)=");
    add(known.begin_string);
  } else {
    add("with other values of 50, 57, 142 or 143");
  }
  return {room.data(), size};
}

Session* SessionAcceptor::session_of(const MessageView& logon) const noexcept {
  const auto by_names = [](const Session* session) { return names_of(session->config()); };
  const auto [first, last] = std::ranges::equal_range(sessions_, names_of(logon), {}, by_names);
  // Of several, the one that says most about its names.
  Session* found = nullptr;
  for (auto at = first; at != last; ++at) {
    if (has_further_names((*at)->config(), logon) &&
        (found == nullptr || further_names((*at)->config()) > further_names(found->config())))
      found = *at;
  }
  return found;
}

}  // namespace dojima::fix
