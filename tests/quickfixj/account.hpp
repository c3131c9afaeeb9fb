#pragma once

// What happened to a client's session in all lives of its program: a file of lines, each written with one system call,
// so that it is whole however a life ends. Account.java writes the same lines and says what they mean.

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace dojima::quickfixj {

class Account {
 public:
  /// Reads what earlier lives wrote, where there is something. Throws std::runtime_error for a file that cannot be
  /// used.
  explicit Account(const std::string& path) {
    std::ifstream earlier(path);
    for (std::string line; std::getline(earlier, line);) count(line);
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file_ < 0) throw std::runtime_error("cannot write " + path);
  }
  ~Account() { ::close(file_); }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  void note(const std::string& line) {
    const std::string whole = line + "\n";
    if (::write(file_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size()))
      throw std::runtime_error("the account cannot be written");
    count(line);
  }

  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t logons() const noexcept { return logons_; }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_.size(); }
  /// One more than the largest order that came back; 0: none did.
  [[nodiscard]] std::uint64_t largest() const noexcept { return received_.empty() ? 0 : received_.rbegin()->first + 1; }

  [[nodiscard]] std::string json(const std::string& answer, std::uint64_t next_out, std::uint64_t next_in) const {
    return nlohmann::json{{"answer", answer},          {"sent", sent_},        {"received", received_.size()},
                          {"resent", resent_},         {"doubled", doubled_},  {"flagged", flagged_},
                          {"disordered", disordered_}, {"altered", altered_},  {"logons", logons_},
                          {"next_out", next_out},      {"next_in", next_in},   {"logouts", logouts_},
                          {"rejects", rejects_},       {"troubles", troubles_}}
        .dump();
  }

 private:
  void count(const std::string& line) {
    std::istringstream words(line);
    std::string what, flags, state;
    std::uint64_t number = 0;
    words >> what;
    if (what == "sent") {
      words >> number;
      sent_ = std::max(sent_, number + 1);
    } else if (what == "got") {
      words >> number >> flags >> state;
      if (flags.starts_with("1")) ++resent_;
      if (received_.find(number) == received_.end() && number < largest()) ++disordered_;
      if (++received_[number] > 1) ++(flags == "00" ? doubled_ : flagged_);
      if (state == "altered") ++altered_;
    } else if (what == "logon") {
      ++logons_;
    } else if (what == "logout") {
      logouts_.push_back(line.substr(7));
    } else if (what == "reject") {
      rejects_.push_back(line.substr(7));
    } else if (what == "trouble") {
      troubles_.push_back(line.substr(8));
    } else {
      throw std::runtime_error("no line of an account: " + line);
    }
  }

  int file_ = -1;
  std::map<std::uint64_t, unsigned> received_;
  std::vector<std::string> logouts_, rejects_, troubles_;
  std::uint64_t sent_ = 0, logons_ = 0, resent_ = 0, doubled_ = 0, flagged_ = 0, disordered_ = 0, altered_ = 0;
};

}  // namespace dojima::quickfixj
