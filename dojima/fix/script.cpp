#include "dojima/fix/script.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/script/script_match.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::fix {
namespace {

constexpr unsigned k_stamp_decimals = 3;

}  // namespace

/// One connection of a script: what arrived and was not compared yet.
class ScriptRun::Wire final : public link::Connection {
 public:
  explicit Wire(ScriptRun& run) : run_(run) {}

  void on_open(link::Transport& transport, Time) override {
    transport_ = &transport;
    is_open_ = true;
    run_.advance();
  }

  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time) override {
    std::size_t used = 0;
    while (used < bytes.size()) {
      const FrameSearch found = find_frame(bytes.subspan(used), k_body_max);
      if (found.state == FrameState::incomplete) break;
      const std::string_view text = as_text(bytes.subspan(used, found.size));
      if (found.state == FrameState::whole) {
        messages.emplace_back(text);
      } else if (garbled.empty()) {
        garbled = text;
      }
      used += found.size;
    }
    run_.advance();
    return used;
  }

  void on_writable(Time) override { flush(); }

  void on_closed(link::CloseReason reason, Time) override {
    transport_ = nullptr;
    is_open_ = false;
    is_over_ = true;
    close_reason = reason;
    run_.advance();
  }

  /// What the transport has no room for waits.
  void send(std::string_view bytes) {
    unsent_ += bytes;
    flush();
  }
  void close() {
    if (transport_ != nullptr) transport_->close(link::CloseReason::by_us);
  }
  void reopen() {
    is_over_ = false;
    messages.clear();
    unsent_.clear();
    garbled.clear();
  }

  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

  std::deque<std::string> messages;
  std::string garbled;  // the first bytes that were no message
  link::CloseReason close_reason{};
  bool is_connecting = false;

 private:
  void flush() {
    constexpr std::size_t k_piece = 4096;
    while (transport_ != nullptr && !unsent_.empty()) {
      const std::size_t size = std::min(unsent_.size(), k_piece);
      const Room room = transport_->prepare(size);
      if (room.empty()) return;
      std::memcpy(room.data(), unsent_.data(), size);
      transport_->commit(size);
      unsent_.erase(0, size);
    }
  }

  ScriptRun& run_;
  link::Transport* transport_ = nullptr;
  std::string unsent_;
  bool is_open_ = false;
  bool is_over_ = false;
};

ScriptRun::ScriptRun(sched::Scheduler& scheduler, link::Fabric& fabric, const Script& script, ScriptOptions options)
    : scheduler_(scheduler), fabric_(fabric), script_(script), options_(std::move(options)), timer_(scheduler, *this) {
  options_.patience += options_.slack;
  for (const ScriptStep& step : script.steps) {
    if (named_wires_.contains(step.connection)) continue;
    wires_.push_back(std::make_unique<Wire>(*this));
    named_wires_.emplace(step.connection, wires_.back().get());
  }
}

ScriptRun::~ScriptRun() = default;

void ScriptRun::start() {
  step_begin_ = scheduler_.now();
  if (script_.accepts) {
    const auto where = fabric_.listen(options_.address, *this);
    const std::string place = options_.address.host + ":" + std::to_string(options_.address.port);
    if (!where) return fail(script_.steps.front(), "cannot listen on " + place);
    listening_at_ = *where;
  }
  advance();
}

/// As many as the script still accepts; whoever comes early waits.
link::Connection* ScriptRun::on_accept(const link::Address&) {
  const auto left = std::ranges::count(script_.steps.begin() + static_cast<std::ptrdiff_t>(at_), script_.steps.end(),
                                       ScriptStep::Kind::accept, &ScriptStep::kind);
  if (is_finished_ || arrived_.size() >= static_cast<std::size_t>(left)) return nullptr;
  wires_.push_back(std::make_unique<Wire>(*this));
  arrived_.push_back(wires_.back().get());
  return arrived_.back();
}

ScriptRun::Wire& ScriptRun::wire_of(const std::string& name) {
  const auto found = named_wires_.find(name);
  DOJIMA_ASSERT(found != named_wires_.end(), "every connection of the script was made at construction");
  return *found->second;
}

void ScriptRun::on_due(Time) {
  is_due_ = true;
  advance();
}

/// Takes steps as long as none has to wait.
void ScriptRun::advance() {
  if (is_advancing_ || is_finished_) return;
  is_advancing_ = true;
  while (!is_finished_ && at_ < script_.steps.size() && take(script_.steps[at_])) {
    ++at_;
    step_begin_ = scheduler_.now();
    timer_.disarm();
    is_due_ = false;
  }
  if (at_ == script_.steps.size()) finish();
  is_advancing_ = false;
}

void ScriptRun::finish() {
  is_finished_ = true;
  timer_.disarm();
  for (const auto& wire : wires_) wire->close();
}

void ScriptRun::fail(const ScriptStep& step, std::string text) {
  has_failed_ = true;
  trouble_ = {step.line, std::move(text)};
  finish();
}

/// Waits on: true once the step has lasted so long.
bool ScriptRun::has_waited(time::Duration duration) {
  if (is_due_ || duration.count() == 0) return true;
  if (!timer_.is_armed()) timer_.arm(step_begin_ + duration);
  return false;
}

std::string ScriptRun::value_of(std::string_view name, bool& is_known) const {
  is_known = true;
  if (name.starts_with("now")) {
    const std::string_view offset = name.substr(3);
    std::int64_t seconds = 0;
    if (!offset.empty()) {
      const char* const begin = offset.data() + (offset.front() == '+' ? 1 : 0);
      const auto [end, trouble] = std::from_chars(begin, offset.data() + offset.size(), seconds);
      is_known = trouble == std::errc{} && std::string_view(end, 1) == "s" && end + 1 == offset.data() + offset.size();
      if (!is_known) return {};
    }
    char text[time::k_timestamp_max];
    return std::string(
        time::format_timestamp(scheduler_.now() + std::chrono::seconds{seconds}, k_stamp_decimals, text));
  }
  for (const ScriptVariables* variables : {&options_.variables, &script_.variables}) {
    if (const auto found = variables->find(name); found != variables->end()) return found->second;
  }
  is_known = false;
  return {};
}

/// The text with its variables put in, and theirs. A variable that nobody knows ends the run.
std::string ScriptRun::filled(const ScriptStep& step, std::string_view rest, unsigned depth) {
  constexpr unsigned k_depth_max = 4;
  std::string text;
  for (std::size_t at = rest.find("${"); at != std::string_view::npos; at = rest.find("${")) {
    const std::size_t end = std::min(rest.find('}', at), rest.size());
    text += rest.substr(0, at);
    bool is_known = false;
    const std::string_view name = rest.substr(at + 2, end - at - 2);
    const std::string value = value_of(name, is_known);
    if (!is_known || depth == k_depth_max) {
      fail(step, (is_known ? "a variable inside itself: " : "unknown variable: ") + std::string(name));
      return {};
    }
    text += filled(step, value, depth + 1);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text += rest;
}

void ScriptRun::send(const ScriptStep& step, Wire& wire) {
  const std::string text = filled(step, step.text);
  if (is_finished_) return;
  if (!wire.is_open()) return fail(step, "the connection is not open");
  if (step.kind == ScriptStep::Kind::send_raw) return wire.send(text);
  bool is_known = false;
  const std::string begin_string = value_of("begin_string", is_known), sender = value_of("sender", is_known),
                    target = value_of("target", is_known), now = value_of("now", is_known);
  wire.send(script_message(text, begin_string, sender, target, now));
}

bool ScriptRun::take(const ScriptStep& step) {
  using Kind = ScriptStep::Kind;
  Wire& wire = wire_of(step.connection);
  switch (step.kind) {
    case Kind::connect:
      return take_connect(step, wire);
    case Kind::accept:
      return take_accept(step);
    case Kind::send:
    case Kind::send_raw:
      send(step, wire);
      return true;
    case Kind::expect:
    case Kind::expect_in_order:
    case Kind::may_expect:
      return take_expected(step, wire);
    case Kind::closed:
      if (!wire.messages.empty())
        fail(step, "the end of the connection expected, received " + script_text_of(as_bytes(wire.messages.front())));
      else if (!wire.is_over() && has_waited(options_.patience))
        fail(step, "the connection is still open");
      return wire.is_over();
    case Kind::silent:
      if (!wire.messages.empty())
        fail(step, "silence expected, received " + script_text_of(as_bytes(wire.messages.front())));
      else if (wire.is_over())
        fail(step, "silence expected, but the connection was closed");
      return has_waited(std::max(time::Duration{0}, step.latest - options_.slack));
    case Kind::wait:
      return has_waited(step.latest);
    case Kind::close:
      wire.close();
      return wire.is_over() || !wire.is_open();
  }
  return true;
}

bool ScriptRun::take_connect(const ScriptStep& step, Wire& wire) {
  if (!wire.is_connecting) {
    wire.is_connecting = true;
    wire.reopen();
    fabric_.connect(options_.address, wire);
  }
  if (wire.is_over()) fail(step, std::string("no connection: ") + link::name_of(wire.close_reason));
  if (wire.is_open()) wire.is_connecting = false;
  return wire.is_open();
}

bool ScriptRun::take_accept(const ScriptStep& step) {
  if (arrived_.empty()) {
    if (has_waited(options_.patience)) fail(step, "nobody connects");
    return false;
  }
  Wire& wire = *arrived_.front();
  if (!wire.is_open() && !wire.is_over()) return false;
  arrived_.pop_front();
  named_wires_[step.connection] = &wire;
  return true;
}

bool ScriptRun::take_expected(const ScriptStep& step, Wire& wire) {
  const bool is_optional = step.kind == ScriptStep::Kind::may_expect;
  if (wire.messages.empty()) {
    if (wire.is_over()) {
      if (is_optional) return true;
      fail(step, "a message expected, but the connection was closed");
    } else if (!wire.garbled.empty()) {
      fail(step, "received bytes that are no FIX message: " + wire.garbled);
    } else if (has_waited(step.latest.count() != 0 ? step.latest + options_.slack : options_.patience)) {
      if (is_optional) return true;
      fail(step, "a message expected, nothing received");
    }
    return false;
  }
  const std::string text = filled(step, step.text);
  if (is_finished_) return false;
  const Bytes message = as_bytes(wire.messages.front());
  std::string other = difference(text, message, step.kind == ScriptStep::Kind::expect_in_order);
  if (other.empty() && scheduler_.now() - step_begin_ < step.earliest - options_.slack) other = "it came too early";
  if (!other.empty()) {
    if (is_optional) return true;
    fail(step, other + "; received " + script_text_of(message));
    return false;
  }
  wire.messages.pop_front();
  return true;
}

}  // namespace dojima::fix
