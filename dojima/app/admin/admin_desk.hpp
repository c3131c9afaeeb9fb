#pragma once

// Where people and programs watch and operate a server while it runs: an HTTP server on a thread of its own, figures
// for Prometheus, and commands that are carried out by the loop that owns the state, between two of its turns. The loop
// looks at one atomic pointer a turn; it takes no lock and makes no system call for whoever only watches.
//
//   GET  /metrics   the figures            GET  /live    200 while the loop turns, else 503
//   GET  /ready     200, or 503 and why    GET  /verbs   what can be commanded
//   POST /command   one line of words; needs "Authorization: Bearer TOKEN"
//
// docs/operations.md says more; `dojima admin` is the client.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/admin/admin_token.hpp"
#include "dojima/app/admin_answer.hpp"
#include "dojima/app/config.hpp"
#include "dojima/measure/gauges.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"
#include "dojima/web/http_server.hpp"

namespace dojima::app {

struct AdminVerb {
  std::string_view name;
  std::string_view usage;  ///< the words behind it
  std::string_view meaning;
  bool changes = true;            ///< it is written into the log
  bool only_with_values = false;  ///< it changes nothing without a word KEY=VALUE
};

/// What is operated. Called by the loop, but for verbs(), which never changes.
class AdminTarget {
 public:
  [[nodiscard]] virtual std::span<const AdminVerb> verbs() const = 0;
  /// `words` is not empty and begins with the name of a verb.
  virtual AdminAnswer on_command(std::span<const std::string> words, time::Time now) = 0;
  /// The same; `from`: the address that it came from.
  virtual AdminAnswer on_command(std::span<const std::string> words, std::string_view from, time::Time now) {
    static_cast<void>(from);
    return on_command(words, now);
  }
  /// Writes the figures, ten times a second.
  virtual void publish(time::Time now) = 0;
  /// Empty: it does what it is there for; else what it waits for.
  [[nodiscard]] virtual std::string waits_for() const = 0;

 protected:
  ~AdminTarget() = default;
};

class AdminDesk final : public sched::Source, private web::HttpHandler {
 public:
  using Log = std::function<void(const std::string& line)>;
  static constexpr std::size_t k_timers = 1;

  /// `target`, the scheduler of its loop and `board`, whose figures are all made, outlive the desk; `log` gets a line
  /// for every command that changes something, and for every one that is refused. `is_virtual`: the scheduler's time is
  /// not the clock's, so nobody knows how late the loop turns.
  AdminDesk(const AdminConfig& config, AdminTarget& target, const measure::GaugeBoard& board,
            sched::Scheduler& scheduler, Log log, bool is_virtual = false);
  ~AdminDesk();
  AdminDesk(const AdminDesk&) = delete;
  AdminDesk& operator=(const AdminDesk&) = delete;

  /// Begins to answer. `wake` is called from another thread when a command waits. The error is text for a person: the
  /// port is taken, the token cannot be read or made. Once. A port in use is tried again for as long as `patience`,
  /// which blocks.
  [[nodiscard]] std::expected<link::Address, std::string> start(std::function<void()> wake,
                                                                time::Duration patience = {});
  /// Answers nobody any more: before what `wake` uses is gone.
  void stop();
  /// Commands that came to the loop so far. The loop only.
  [[nodiscard]] std::uint64_t commands() const noexcept { return commands_; }
  /// A line for a person: where it answers, and where the token is.
  [[nodiscard]] std::string describe(const link::Address& where) const;

  // sched::Source
  [[nodiscard]] time::Time next_time() override { return sched::Source::k_every_turn; }
  std::size_t deliver(time::Time now) override;
  std::size_t finish(time::Time) override { return 0; }

 private:
  struct Waiting {
    std::string line;
    std::string from;  ///< the operator's name, if it has one, and the address
    bool only_looks = false;
    web::HttpReply reply;
  };
  /// Whose token a command carries.
  struct Operator {
    std::string name;  ///< empty: whoever has the token of [admin]
    AdminToken token;
    bool only_looks = false;
  };

  void on_request(const web::HttpRequest& request, web::HttpReply reply) override;
  void on_command(const web::HttpRequest& request, web::HttpReply reply);
  [[nodiscard]] web::HttpResponse page(const web::HttpRequest& request);
  [[nodiscard]] time::Duration loop_lag() const;
  [[nodiscard]] AdminAnswer carry_out(const Waiting& command, time::Time now);
  void on_look(time::Time now);

  const AdminConfig config_;
  AdminTarget& target_;
  const measure::GaugeBoard& board_;
  Log log_;
  const bool is_virtual_;
  std::function<void()> wake_;

  // From the server's thread to the loop.
  std::mutex mutex_;
  std::deque<Waiting> waiting_;           // under the mutex
  std::atomic<bool> has_command_{false};  // the loop looks before it takes the mutex
  // From the loop to the server's thread.
  std::atomic<std::int64_t> last_look_{0};            // nanoseconds of the system's clock
  std::string waits_for_;                             // under the mutex
  std::array<std::atomic<std::int64_t>, 10> lags_{};  // nanoseconds that the last looks were late
  std::uint64_t commands_ = 0;                        // the loop
  std::size_t looks_ = 0;                             // the loop
  time::Time due_{};                                  // the next look; the loop

  sched::Scheduler& scheduler_;
  sched::TimerOf<&AdminDesk::on_look> look_;
  std::vector<Operator> operators_;  // the first one is that of [admin]; made by start()
  web::HttpServer server_;
};

}  // namespace dojima::app
