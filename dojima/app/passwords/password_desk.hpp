#pragma once

// Checks and makes what is kept of passwords on a thread of its own, so that the tens of milliseconds which that takes
// on purpose hold no order up. At most one question of a user is in hand; one that nobody asks again is not worked on,
// so that connections that ask and go away keep nobody else waiting. Passwords are overwritten in memory once their
// question is answered or given up. find() takes a lock for a moment and allocates with a new question; it is called at
// logons only. O(log questions); once a second O(questions).
//
//   PasswordDesk desk;
//   FrontConfig config{.hasher = &desk};     // outlives the front

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/venue/credentials.hpp"

namespace dojima::app {

/// How long the desk keeps what nobody asks for. All of them are well above PasswordHasher::k_ask_again.
struct DeskPatience {
  std::chrono::milliseconds question{1000};  ///< not asked again so long, it is given up
  /// So long an answer waits for who asked; then another question of the user can take its place.
  std::chrono::milliseconds answer =
      10 * std::chrono::duration_cast<std::chrono::milliseconds>(venue::PasswordHasher::k_ask_again);
  std::chrono::milliseconds unread{5000};  ///< so old, an answer that nobody came for is thrown away
};

class PasswordDesk final : public venue::PasswordHasher {
 public:
  /// `cost`: of passwords that are chosen from now on. Throws std::system_error.
  explicit PasswordDesk(const ScryptCost& cost = {}, const DeskPatience& patience = {});
  /// Waits for the answer that is being worked on, for no other.
  ~PasswordDesk();
  PasswordDesk(const PasswordDesk&) = delete;
  PasswordDesk& operator=(const PasswordDesk&) = delete;

  [[nodiscard]] std::optional<venue::PasswordAnswer> find(std::uint16_t user,
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
    Clock::time_point asked;  // last
    Clock::time_point answered{};
    std::optional<venue::PasswordAnswer> answer{};  // none: it waits, or is being worked on
    bool is_at_work = false;
  };
  using Jobs = std::map<std::uint16_t, Job>;  // by user

  [[nodiscard]] bool is_held(const Job& job, Clock::time_point now) const noexcept;
  [[nodiscard]] bool is_over(const Job& job, Clock::time_point now) const noexcept;
  void work(const std::stop_token& stop);
  void answer_one(std::unique_lock<std::mutex>& lock);
  void tidy();

  const ScryptCost cost_;
  const DeskPatience patience_;
  std::mutex mutex_;
  std::condition_variable_any has_work_;
  Jobs jobs_;
  std::deque<std::uint16_t> waiting_;  // users whose question nobody works on yet, each once
  Clock::time_point tidied_{};
  std::jthread thread_;
};

}  // namespace dojima::app
