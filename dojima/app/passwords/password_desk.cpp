#include "dojima/app/passwords/password_desk.hpp"

#include <utility>

namespace dojima::app {

PasswordDesk::PasswordDesk(const ScryptCost& cost)
    : cost_(cost), thread_([this](const std::stop_token& stop) { work(stop); }) {}

std::optional<venue::PasswordAnswer> PasswordDesk::find(std::uint16_t user, const venue::PasswordQuestion& question) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = jobs_.try_emplace(user);
  Job& job = at->second;
  if (!is_new && !job.answer) return std::nullopt;
  if (!is_new && job.question == question) {
    std::optional<venue::PasswordAnswer> answer = std::move(job.answer);
    jobs_.erase(at);
    return answer;
  }
  // A new one, or in the place of one whose connection did not wait for the answer.
  job = {.question = question, .answer = std::nullopt};
  waiting_.push_back(user);
  has_work_.notify_one();
  return std::nullopt;
}

void PasswordDesk::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (has_work_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
    const std::uint16_t user = waiting_.front();
    waiting_.pop_front();
    const venue::PasswordQuestion question = jobs_.at(user).question;
    lock.unlock();
    venue::PasswordAnswer answer{.is_right = question.kept.empty() || is_password_of(question.kept, question.password),
                                 .kept = {}};
    if (answer.is_right && !question.chosen.empty()) answer.kept = scrypt_text(question.chosen, cost_);
    lock.lock();
    jobs_.at(user).answer = std::move(answer);
  }
}

}  // namespace dojima::app
