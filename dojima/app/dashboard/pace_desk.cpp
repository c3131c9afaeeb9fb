#include "dojima/app/dashboard/pace_desk.hpp"

#include <charconv>
#include <system_error>
#include <utility>

namespace dojima::app {

bool PaceDesk::on_words(std::string_view words) {
  using Kind = Command::Kind;
  if (words == "pause") return put({.kind = Kind::pause});
  if (words == "resume") return put({.kind = Kind::resume});
  if (words == "step") return put({.kind = Kind::step});
  constexpr std::string_view k_jump = "jump ";
  if (words.starts_with(k_jump)) {
    words.remove_prefix(k_jump.size());
    std::int64_t ns = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), ns);
    if (!can_jump_ || error != std::errc{} || end != words.data() + words.size() || ns < 0) return false;
    return put({.kind = Kind::jump, .time = time::from_nanoseconds(ns)});
  }
  constexpr std::string_view k_speed = "speed ";
  if (!words.starts_with(k_speed)) return false;
  words.remove_prefix(k_speed.size());
  double speed = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), speed);
  if (error != std::errc{} || end != words.data() + words.size()) return false;
  // Also where it is no number at all.
  if (!(speed >= sched::PacedPacer::k_slowest && speed <= sched::PacedPacer::k_fastest)) return false;
  return put({.kind = Kind::speed, .speed = speed});
}

bool PaceDesk::put(Command command) {
  constexpr std::size_t k_most = 1000;
  const std::scoped_lock lock(mutex_);
  if (waiting_.size() < k_most) waiting_.push_back(command);
  has_command_.store(true, std::memory_order_release);
  return true;
}

bool PaceDesk::apply(sched::PacedPacer& pacer) {
  if (!has_command_.load(std::memory_order_acquire)) return false;
  std::vector<Command> commands;
  {
    const std::scoped_lock lock(mutex_);
    commands = std::exchange(waiting_, {});
    has_command_.store(false, std::memory_order_relaxed);
  }
  for (const Command& command : commands) {
    switch (command.kind) {
      case Command::Kind::pause:
        pacer.pause();
        break;
      case Command::Kind::resume:
        pacer.resume();
        break;
      case Command::Kind::step:
        pacer.pause();
        pacer.step();
        break;
      case Command::Kind::speed:
        static_cast<void>(pacer.set_speed(command.speed));
        break;
      case Command::Kind::jump:
        jump_ = command.time;
        break;
    }
  }
  return true;
}

}  // namespace dojima::app
