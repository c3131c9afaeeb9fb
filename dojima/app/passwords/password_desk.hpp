#pragma once

// Checks and makes what is kept of passwords on a thread of its own, so that the tens of milliseconds which that takes
// on purpose hold no order up. One question is worked on at a time, and a connection has one. Hosts take turns, and of
// a host its users (fair_line.hpp), so that who brings many questions keeps others waiting for one of them; when too
// many wait, those who bring the most have to try again. A question that nobody asks again is not worked on.
// Passwords are overwritten in memory once their question is answered or given up. find() takes a lock for a moment and
// allocates with a new question; it is called at logons only. O(log questions), with a new question O(questions); once
// a second O(questions).
//
//   PasswordDesk desk;
//   FrontConfig config{.hasher = &desk};     // outlives the front

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "dojima/app/passwords/fair_line.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/venue/credentials.hpp"

namespace dojima::app {

/// What the desk puts up with.
struct DeskPatience {
  std::chrono::milliseconds question{1000};  ///< not asked again so long, it is given up; well above k_ask_again
  std::chrono::milliseconds unread{5000};    ///< so old, an answer that nobody came for is thrown away; likewise
  std::size_t waiting = 512;                 ///< questions, besides the one at work; > 0
};

/// Finds an answer, however long it takes. Called by the desk's thread.
using PasswordWork = std::function<venue::PasswordAnswer(const venue::PasswordQuestion&)>;

class PasswordDesk final : public venue::PasswordHasher {
 public:
  /// `cost`: of passwords that are chosen from now on. Throws std::system_error.
  explicit PasswordDesk(const ScryptCost& cost = {}, const DeskPatience& patience = {});
  /// With work of another kind, for tests.
  explicit PasswordDesk(PasswordWork how, const DeskPatience& patience = {});
  /// Waits for the answer that is being worked on, for no other.
  ~PasswordDesk();
  PasswordDesk(const PasswordDesk&) = delete;
  PasswordDesk& operator=(const PasswordDesk&) = delete;

  [[nodiscard]] std::optional<venue::PasswordAnswer> find(const venue::PasswordAsker& asker,
                                                          const venue::PasswordQuestion& question) override;

 private:
  using Clock = std::chrono::steady_clock;
  /// A question, whose passwords are overwritten when it goes.
  struct Question {
    std::string kept, password, chosen;
    explicit Question(const venue::PasswordQuestion& of);
    Question(const Question&) = default;
    Question& operator=(const Question&) = delete;
    ~Question();
    [[nodiscard]] bool operator==(const venue::PasswordQuestion& other) const noexcept {
      return kept == other.kept && password == other.password && chosen == other.chosen;
    }
  };
  struct Job {
    Question question;
    std::string host;
    std::uint16_t user;
    Clock::time_point asked;  // last
    Clock::time_point answered{};
    std::optional<venue::PasswordAnswer> answer{};  // none: it waits, or is being worked on
    bool is_at_work = false;
  };
  using Jobs = std::map<std::uint32_t, Job>;  // by connection

  [[nodiscard]] bool is_over(const Job& job, Clock::time_point now) const noexcept;
  void turn_away(Clock::time_point now);
  void work(const std::stop_token& stop);
  void answer_one(std::unique_lock<std::mutex>& lock);
  void tidy();

  const PasswordWork work_;
  const DeskPatience patience_;
  std::mutex mutex_;
  std::condition_variable_any has_work_;
  Jobs jobs_;
  FairLine waiting_;  // connections whose question nobody works on yet
  Clock::time_point tidied_{};
  std::jthread thread_;
};

}  // namespace dojima::app
