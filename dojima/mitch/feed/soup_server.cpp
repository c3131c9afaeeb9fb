#include "dojima/mitch/feed/soup_server.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/link/host_pattern.hpp"

namespace dojima::mitch {
namespace {

constexpr std::size_t k_soup_header = 3;  // length and type
constexpr std::size_t k_login = 46;       // user 6, password 10, session 10, number 20
constexpr std::size_t k_most_of_client = 1'024;
constexpr std::size_t k_soup_message = 64;

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Digits between spaces; none: something else. Blank is 1, as of a reader that wants all.
std::optional<std::uint64_t> soup_number(std::string_view text) {
  text = without_spaces(text);
  if (text.empty()) return 1;
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

struct SoupServer::Desk {
  Desk(SoupServerConfig of, sched::Scheduler& by);
  ~Desk();

  /// Messages from this one on are kept.
  [[nodiscard]] std::uint64_t oldest() const noexcept { return next > config.messages ? next - config.messages : 1; }
  [[nodiscard]] Bytes message(std::uint64_t number) const noexcept {
    return window.find(static_cast<std::uint32_t>(number)).subspan(1);
  }

  SoupServerConfig config;
  sched::Scheduler& scheduler;
  MessageWindow window;
  std::uint64_t next = 1;
  bool is_over = false;
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<Session*> free;
  SoupCounts counts;
  std::size_t logged_in = 0;
};

class SoupServer::Session final : public link::Connection {
 public:
  Session(Desk& desk, std::uint32_t number)
      : desk_(desk), number_(number), limit_(desk.scheduler, *this), beat_(desk.scheduler, *this) {}

  void expect(const link::Address& peer) { host_ = peer.host; }
  void close_if_open() {
    if (transport_ != nullptr) close(link::CloseReason::by_us);
  }

  void on_open(link::Transport& transport, time::Time now) override {
    transport_ = &transport;
    is_closing_ = is_logged_in_ = has_sent_ = has_received_ = false;
    login_.clear();
    limit_.arm(now + desk_.config.login);
  }
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, time::Time now) override;
  void on_writable(time::Time now) override { pump(now); }
  void on_closed(link::CloseReason, time::Time) override {
    if (is_logged_in_) --desk_.logged_in;
    is_logged_in_ = false;
    transport_ = nullptr;
    limit_.disarm();
    beat_.disarm();
    desk_.free.push_back(this);
  }

  /// Sends what it has not got, as far as there is room and it has its share of this turn.
  void pump(time::Time now);

 private:
  void on_packet(char type, std::string_view payload, time::Time now);
  void log_in(std::string_view payload, time::Time now);
  /// None: somebody compares the password meanwhile.
  [[nodiscard]] std::optional<ReaderVerdict> verdict_of(std::string_view user, std::string_view password) const;
  void go_on_with_login(time::Time now);
  bool send(char type, std::string_view payload);
  void refuse(const char* reason);
  void cut() {
    ++desk_.counts.cut;
    close(link::CloseReason::by_us);
  }
  void close(link::CloseReason reason) {
    if (std::exchange(is_closing_, true)) return;
    limit_.disarm();
    beat_.disarm();
    transport_->close(reason);
  }
  void on_limit(time::Time now) {
    if (!login_.empty()) return go_on_with_login(now);
    // Silence is looked for once in its time, so that no timer is moved for each packet.
    if (!is_logged_in_ || !std::exchange(has_received_, false)) return cut();
    limit_.arm(now + desk_.config.silence);
  }
  void on_beat(time::Time now) {
    beat_.arm(now + desk_.config.heartbeat);
    if (!std::exchange(has_sent_, false)) send('H', {});
    has_sent_ = false;
    pump(now);
  }

  Desk& desk_;
  const std::uint32_t number_;
  link::Transport* transport_ = nullptr;
  std::string host_;
  std::string login_;  // whose password is being compared; empty: none
  bool is_closing_ = false, is_logged_in_ = false;
  bool has_sent_ = false, has_received_ = false;  // since the timers were last due
  std::uint64_t next_ = 0;                        // the message that it gets next
  sched::TimerOf<&Session::on_limit> limit_;
  sched::TimerOf<&Session::on_beat> beat_;
};

std::size_t SoupServer::Session::on_bytes(Bytes bytes, time::Time now) {
  std::size_t used = 0;
  while (!is_closing_) {
    const Bytes rest = bytes.subspan(used);
    if (rest.size() < 2) return used;
    const auto length = std::to_integer<std::size_t>(rest[0]) << 8U | std::to_integer<std::size_t>(rest[1]);
    if (length == 0 || length > k_most_of_client) {
      cut();
      break;
    }
    if (rest.size() < 2 + length) return used;
    used += 2 + length;
    has_received_ = true;
    const auto* const text = reinterpret_cast<const char*>(rest.data());
    on_packet(text[2], {text + k_soup_header, length - 1}, now);
  }
  return bytes.size();
}

void SoupServer::Session::on_packet(char type, std::string_view payload, time::Time now) {
  if (type == 'L' && !is_logged_in_ && login_.empty()) return log_in(payload, now);
  if (type == '+' || (type == 'R' && !login_.empty())) return;  // for people; a sign of life
  if (!is_logged_in_ || (type != 'R' && type != 'O' && type != 'U')) return cut();
  if (type == 'O') close(link::CloseReason::by_us);
}

std::optional<ReaderVerdict> SoupServer::Session::verdict_of(std::string_view user, std::string_view password) const {
  const auto reader = std::ranges::find_if(desk_.config.readers, [&](const FeedReader& each) {
    return each.comp_id.view() == user && !each.is_locked &&
           (each.host.empty() || link::host_matches(host_, each.host));
  });
  if (reader == desk_.config.readers.end()) return ReaderVerdict::wrong;
  if (reader->password_kept.empty())
    return reader->password.view() == password ? ReaderVerdict::right : ReaderVerdict::wrong;
  const auto verdict =
      desk_.config.passwords->find({.connection = desk_.config.first_connection + number_,
                                    .reader = static_cast<std::uint16_t>(reader - desk_.config.readers.begin()),
                                    .host = host_,
                                    .kept = reader->password_kept,
                                    .password = password});
  if (verdict == ReaderVerdict::right) {
    // From here on it is compared with itself: what differs from it is wrong at once.
    reader->password = Text<10>::cut(password);
    reader->password_kept.clear();
  }
  return verdict;
}

/// 'A': not authorized; 'S': no such session, or the message is not kept any more.
void SoupServer::Session::log_in(std::string_view payload, time::Time now) {
  if (payload.size() != k_login) return cut();
  login_ = payload;
  go_on_with_login(now);
}

void SoupServer::Session::go_on_with_login(time::Time now) {
  const auto verdict = verdict_of(without_spaces(std::string_view(login_).substr(0, 6)),
                                  without_spaces(std::string_view(login_).substr(6, 10)));
  if (!verdict) return limit_.arm(now + ReaderPasswords::k_ask_again);
  const std::string payload_kept = std::exchange(login_, {});
  const std::string_view payload = payload_kept;
  if (verdict != ReaderVerdict::right) return refuse("A");
  const std::string_view session = without_spaces(payload.substr(16, 10));
  const auto wanted = soup_number(payload.substr(26, 20));
  if (!wanted) return cut();
  const bool is_ours = session.empty() || session == without_spaces(desk_.config.session.view());
  next_ = *wanted == 0 ? desk_.next : *wanted;
  if (!is_ours || next_ < desk_.oldest() || next_ > desk_.next) return refuse("S");
  const std::string number = std::to_string(next_);
  std::string accepted(30, ' ');
  const std::string_view name = desk_.config.session.view();
  accepted.replace(10 - std::min<std::size_t>(10, name.size()), name.size(), name);
  accepted.replace(30 - number.size(), number.size(), number);
  if (!send('A', accepted)) return cut();
  is_logged_in_ = true;
  ++desk_.logged_in;
  ++desk_.counts.logins;
  limit_.arm(now + desk_.config.silence);
  beat_.arm(now + desk_.config.heartbeat);
  pump(now);
}

void SoupServer::Session::refuse(const char* reason) {
  ++desk_.counts.logins_refused;
  static_cast<void>(send('J', reason));
  close(link::CloseReason::by_us);
}

bool SoupServer::Session::send(char type, std::string_view payload) {
  const Room room = transport_->prepare(k_soup_header + payload.size());
  if (room.empty()) return false;
  const std::size_t length = payload.size() + 1;
  room[0] = static_cast<std::byte>(length >> 8U);
  room[1] = static_cast<std::byte>(length);
  room[2] = static_cast<std::byte>(type);
  std::ranges::copy(as_bytes(payload), room.begin() + k_soup_header);
  transport_->commit(k_soup_header + payload.size());
  has_sent_ = true;
  return true;
}

void SoupServer::Session::pump(time::Time) {
  if (!is_logged_in_ || is_closing_) return;
  if (next_ < desk_.oldest()) {
    ++desk_.counts.slow;
    return close(link::CloseReason::output_overflow);
  }
  for (std::size_t sent = 0; next_ < desk_.next && sent < desk_.config.bytes_a_turn; ++next_) {
    const Bytes message = desk_.message(next_);
    if (!send('S', {reinterpret_cast<const char*>(message.data()), message.size()})) return;
    ++desk_.counts.messages;
    sent += k_soup_header + message.size();
  }
  if (next_ < desk_.next) return beat_.arm(desk_.scheduler.now());  // it goes on after the others
  if (!desk_.is_over) return;
  static_cast<void>(send('Z', {}));
  close(link::CloseReason::by_us);
}

SoupServer::Desk::Desk(SoupServerConfig of, sched::Scheduler& by)
    : config(std::move(of)), scheduler(by), window(config.messages) {}

SoupServer::Desk::~Desk() = default;

SoupServer::SoupServer(SoupServerConfig config, sched::Scheduler& scheduler)
    : desk_(std::make_unique<Desk>(std::move(config), scheduler)) {
  for (const FeedReader& reader : desk_->config.readers)
    if (!reader.password_kept.empty() && desk_->config.passwords == nullptr)
      throw std::invalid_argument("nobody compares what is kept of a reader's password");
  for (std::size_t count = 0; count < desk_->config.connections; ++count) {
    desk_->sessions.push_back(std::make_unique<Session>(*desk_, static_cast<std::uint32_t>(count)));
    desk_->free.push_back(desk_->sessions.back().get());
  }
}

SoupServer::~SoupServer() = default;

link::Connection* SoupServer::on_accept(const link::Address& peer) {
  if (desk_->free.empty()) {
    ++desk_->counts.connections_refused;
    return nullptr;
  }
  ++desk_->counts.connections;
  Session* const session = desk_->free.back();
  desk_->free.pop_back();
  session->expect(peer);
  return session;
}

/// Kept behind its length, as MessageWindow has messages.
void SoupServer::append(Bytes message) {
  DOJIMA_ASSERT(!message.empty() && message.size() <= k_soup_message, "a message of a session", message.size());
  std::array<std::byte, k_soup_message + 1> kept{};
  kept[0] = static_cast<std::byte>(message.size() + 1);
  std::ranges::copy(message, kept.begin() + 1);
  desk_->window.put(static_cast<std::uint32_t>(desk_->next++), Bytes(kept).first(message.size() + 1));
}

void SoupServer::flush(time::Time now) {
  if (desk_->logged_in == 0) return;
  for (const auto& session : desk_->sessions) session->pump(now);
}

void SoupServer::end(time::Time now) {
  desk_->is_over = true;
  flush(now);
}

void SoupServer::close_all() {
  for (const auto& session : desk_->sessions) session->close_if_open();
}

std::uint64_t SoupServer::next() const noexcept {
  return desk_->next;
}

const SoupCounts& SoupServer::counts() const noexcept {
  return desk_->counts;
}

std::size_t SoupServer::logged_in() const noexcept {
  return desk_->logged_in;
}

std::size_t SoupServer::connections() const noexcept {
  return desk_->sessions.size() - desk_->free.size();
}

}  // namespace dojima::mitch
