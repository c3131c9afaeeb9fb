#include "dojima/instruments/studies/core_threads.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sched.h>
#include <system_error>
#include <thread>

#include "dojima/evidence/evidence.hpp"
#include "dojima/evidence/host/host.hpp"
#include "dojima/measure/pinning.hpp"

namespace dojima::instruments {
namespace {

/// What the threads and the one that waits for them share.
class Gathering {
 public:
  explicit Gathering(std::size_t threads) : missing_(threads), running_(threads) {}

  /// Says that one is in place, or why not, and waits for the others. False: nobody begins.
  bool arrive(const std::string& trouble) {
    std::unique_lock lock(mutex_);
    if (!trouble.empty() && trouble_.empty()) trouble_ = trouble;
    if (--missing_ == 0) changed_.notify_all();
    changed_.wait(lock, [this] { return missing_ == 0; });
    return trouble_.empty();
  }
  /// All arrive that will; the rest counts as arrived.
  void give_up(std::size_t not_started, const std::string& trouble) {
    const std::scoped_lock lock(mutex_);
    trouble_ = trouble;
    missing_ -= not_started;
    running_ -= not_started;
    changed_.notify_all();
  }
  void leave() {
    const std::scoped_lock lock(mutex_);
    --running_;
    changed_.notify_all();
  }
  /// True when all have left.
  bool wait_a_little() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds{250}, [this] { return running_ == 0; });
  }
  void keep_applied(const std::string& name, evidence::Document settings) {
    const std::scoped_lock lock(mutex_);
    applied_.set(name, std::move(settings));
  }

  // For when all have left.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  [[nodiscard]] const evidence::Document& applied() const noexcept { return applied_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t missing_;
  std::size_t running_;
  std::string trouble_;
  evidence::Document applied_ = evidence::Document::object();
};

/// Puts the calling thread in its place; what went wrong, or nothing.
std::string take_place(int cpu, const ThreadPolicy& policy) {
  const measure::Pinning pinning = measure::pin_to_processor(cpu);
  if (pinning.cpu != cpu) return pinning.reason;
  if (!policy.fifo_priority) return {};
  sched_param parameters{};
  parameters.sched_priority = *policy.fifo_priority;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameters) == 0) return {};
  return "SCHED_FIFO " + std::to_string(*policy.fifo_priority) + ": " +
         std::error_code(errno, std::generic_category()).message();
}

}  // namespace

std::expected<CoreOutcome, std::string> run_on_cores(
    const std::vector<int>& cpus, const ThreadPolicy& policy,
    const std::function<void(std::size_t index, const StopFlag& stop)>& work, const std::function<bool()>& go_on) {
  StopFlag stop;
  Gathering gathering(cpus.size());
  CoreOutcome outcome;
  {
    std::vector<std::jthread> threads;  // joined at the end of the block, also by an exception of `go_on`
    struct Stopper {
      StopFlag& flag;
      ~Stopper() { flag.set(); }
    } stopper{stop};  // before the threads are joined
    threads.reserve(cpus.size());
    try {
      for (std::size_t index = 0; index < cpus.size(); ++index) {
        threads.emplace_back([&, index] {
          if (gathering.arrive(take_place(cpus[index], policy))) {
            gathering.keep_applied("cpu " + std::to_string(cpus[index]), evidence::applied_settings());
            work(index, stop);
          }
          gathering.leave();
        });
      }
    } catch (const std::system_error& error) {
      gathering.give_up(cpus.size() - threads.size(), error.what());
    }
    while (!gathering.wait_a_little()) {
      if (!outcome.was_stopped && !go_on()) {
        stop.set();
        outcome.was_stopped = true;
      }
    }
  }
  if (!gathering.trouble().empty()) return std::unexpected(gathering.trouble());
  outcome.applied = gathering.applied();
  return outcome;
}

std::optional<std::string> real_time_trouble(const std::filesystem::path& root) {
  const evidence::Document host = evidence::read_host(root).values;
  const evidence::Document& runtime = host.at("rt_runtime_us");
  const evidence::Document& period = host.at("rt_period_us");
  if (!runtime.is_whole() || !period.is_whole()) return "the kernel does not say what budget real-time threads have";
  if (runtime.as_whole() < 0 || runtime.as_whole() >= period.as_whole()) {
    return "real-time threads have no budget here (sched_rt_runtime_us): one that spins would never let others run";
  }
  return std::nullopt;
}

}  // namespace dojima::instruments
