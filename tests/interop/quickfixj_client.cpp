#include "quickfixj_client.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace interop {
namespace {

/// "8=FIX.4.4|9=...|35=8|...", the last of several fields.
Received received_from(const std::string& line) {
  std::map<int, std::string> fields;
  for (std::size_t begin = 0, end = 0; (end = line.find('|', begin)) != std::string::npos; begin = end + 1) {
    const std::string field = line.substr(begin, end - begin);
    const std::size_t equal = field.find('=');
    if (equal != std::string::npos) fields[std::stoi(field)] = field.substr(equal + 1);
  }
  Received r;
  r.msg_type = fields[35];
  r.cl_ord_id = fields[11];
  r.exec_type = fields[150];
  r.ord_status = fields[39];
  r.last_qty = fields[32];
  r.text = fields[58];
  r.ref_id = fields[379];
  return r;
}

std::vector<std::string> words_of(const std::string& class_path, std::uint16_t port, const std::string& sender,
                                  const std::string& target, const std::string& version, const std::string& dictionary,
                                  const std::string& folder) {
  const bool is_fixt = version == "FIX.5.0SP2";
  std::vector<std::string> words{"java",
                                 "-XX:+UseSerialGC",
                                 "-XX:TieredStopAtLevel=1",
                                 "-Xmx128m",
                                 "-cp",
                                 class_path,
                                 "QuickFixJTrader",
                                 "begin=" + (is_fixt ? "FIXT.1.1" : version),
                                 "sender=" + sender,
                                 "target=" + target,
                                 "port=" + std::to_string(port),
                                 "directory=" + folder + "/" + sender};
  words.push_back((is_fixt ? "AppDataDictionary=" : "DataDictionary=") + dictionary);
  if (is_fixt) words.push_back("DefaultApplVerID=FIX.5.0SP2");
  return words;
}

}  // namespace

QuickFixJClient::QuickFixJClient(const std::string& class_path, std::uint16_t port, const std::string& sender,
                                 const std::string& target, const std::string& version, const std::string& dictionary,
                                 const std::string& folder) {
  std::vector<std::string> words = words_of(class_path, port, sender, target, version, dictionary, folder);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> to{}, from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ == 0) {
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  in_ = ::fdopen(to[1], "w");
  out_ = ::fdopen(from[0], "r");
  reader_ = std::thread([this] { read(); });
}

QuickFixJClient::~QuickFixJClient() {
  std::fclose(in_);  // which ends it
  reader_.join();
  std::fclose(out_);
  ::waitpid(process_, nullptr, 0);
}

void QuickFixJClient::read() {
  std::array<char, 8192> line{};
  while (std::fgets(line.data(), line.size(), out_) != nullptr) {
    const std::string text(line.data());
    const std::lock_guard<std::mutex> lock(mutex_);
    if (text == "logon\n")
      is_logged_on_ = true;
    else if (text.starts_with("8="))
      received_.push_back(received_from(text));
    changed_.notify_all();
  }
}

bool QuickFixJClient::wait_logged_on(std::chrono::seconds patience) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return is_logged_on_; });
}

void QuickFixJClient::send(const std::string& msg_type, const std::vector<Field>& fields) {
  std::string line = msg_type;
  for (std::size_t at = 0; at < fields.size(); ++at)
    line += (at == 0 ? " " : "|") + std::to_string(fields[at].tag) + "=" + fields[at].value;
  std::fprintf(in_, "%s\n", line.c_str());
  std::fflush(in_);
}

std::vector<Received> QuickFixJClient::received() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return received_;
}

}  // namespace interop
