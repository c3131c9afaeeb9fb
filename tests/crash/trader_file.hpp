#pragma once

// What a FIX client did, in a file that survives it: a request is written down before its session gets it, a message
// before its session counts it as received. Lines; a request that turns out never to have been numbered by the session
// is withdrawn by a further line.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::crash {

struct TraderRequest {
  std::uint64_t sequence = 0;  ///< MsgSeqNum(34) that its session gives it
  char type = '\0';            ///< D, F, G
  std::string id;              ///< ClOrdID(11)
  std::string orig;            ///< OrigClOrdID(41); empty: none
  friend bool operator==(const TraderRequest&, const TraderRequest&) = default;
};

/// MsgSeqNum(34) of a message as it came.
[[nodiscard]] std::uint64_t number_of(std::string_view fix);

class TraderFile {
 public:
  /// What has happened so far, in its order. Strings are as they were given.
  struct Reader {
    std::function<void(const TraderRequest&)> on_request;
    std::function<void(const std::string& id)> on_withdrawn;
    std::function<void(std::string_view fix)> on_received;
  };
  /// Reads a file that may not be there; half a line at its end is none. Throws std::runtime_error for another line.
  static void read(const std::string& path, const Reader& reader);

  /// Appends, behind the last whole line. Throws std::system_error.
  explicit TraderFile(const std::string& path);
  ~TraderFile();
  TraderFile(const TraderFile&) = delete;
  TraderFile& operator=(const TraderFile&) = delete;

  void request(const TraderRequest& request);
  void withdraw(const std::string& id);
  /// A message as it came; FIX has no line ends.
  void received(std::string_view fix);

 private:
  void append(std::string_view line);
  int file_;
  std::string line_;
};

}  // namespace dojima::crash
