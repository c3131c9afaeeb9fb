#pragma once

// A server of ours as a process, which is killed and started again.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/child_process.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app::demo {

class ServerProcess {
 public:
  /// `ready`: what the line begins with that says where it listens.
  ServerProcess(std::string name, std::string program, std::string config_file, std::string ready)
      : name_(std::move(name)),
        program_(std::move(program)),
        words_({name_, "--config", std::move(config_file)}),
        ready_(std::move(ready)) {}

  void add_words(const std::vector<std::string>& words) { words_.insert(words_.end(), words.begin(), words.end()); }
  void start() { process_ = std::make_unique<ChildProcess>(program_, words_); }
  void kill() {
    process_->kill();
    process_.reset();
  }
  [[nodiscard]] bool is_dead() const noexcept { return process_ == nullptr; }
  /// Where it listens, once it does.
  [[nodiscard]] std::optional<link::Address> address(const std::string& ready) {
    const auto rest = process_->rest_of_line(ready);
    if (!rest) return std::nullopt;
    const auto address = net::parse_address(rest->substr(0, rest->find(' ')));
    return address ? std::optional(*address) : std::nullopt;
  }
  [[nodiscard]] bool is_ready() { return !is_dead() && address(ready_).has_value(); }
  [[nodiscard]] bool has_ended() { return !is_dead() && process_->has_ended(); }
  [[nodiscard]] std::string output() { return is_dead() ? std::string() : process_->output(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_, program_;
  std::vector<std::string> words_;
  std::string ready_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace dojima::app::demo
