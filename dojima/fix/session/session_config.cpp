#include "dojima/fix/session/session_config.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "dojima/fix/frame.hpp"

namespace dojima::fix {
namespace {

/// In front of and behind the body: "8=FIXT.1.1", "9=" with five digits, "10=ddd", separators.
constexpr std::size_t k_frame_size = 11 + 8 + 7;
constexpr std::size_t k_duplicate_reserve = 64;
constexpr std::size_t k_smallest_body_max = 512;

}  // namespace

const Dictionary& dictionary_for(const SessionConfig& config) {
  if (config.dictionary != nullptr) return *config.dictionary;
  const Dictionary* built_in = dictionary_of(config.begin_string);
  return built_in == nullptr ? fix_4_4() : *built_in;
}

std::size_t message_size_max(const SessionConfig& config) noexcept {
  return k_frame_size + config.max_body - k_duplicate_reserve;
}

SessionConfig checked(SessionConfig config) {
  const auto demand = [](bool is_right, const char* what) {
    if (!is_right) throw std::invalid_argument(what);
  };
  const auto is_value = [](const std::string& text) { return text.find('\x01') == std::string::npos; };
  const unsigned decimals = config.timestamp_decimals;
  demand(config.begin_string == "FIX.4.4" || config.begin_string == "FIX.4.2" || config.begin_string == k_fixt,
         "begin_string: FIX.4.4, FIX.4.2 or FIXT.1.1");
  if (config.begin_string == k_fixt) {
    if (config.default_appl_ver_id.empty()) config.default_appl_ver_id = dictionary_for(config).application_version();
    demand(!config.default_appl_ver_id.empty() && is_value(config.default_appl_ver_id),
           "default_appl_ver_id: the dictionary names none");
  }
  demand(!config.sender_comp_id.empty() && is_value(config.sender_comp_id), "sender_comp_id: at least one character");
  demand(!config.target_comp_id.empty() && is_value(config.target_comp_id), "target_comp_id: at least one character");
  demand(!config.test_request_text.empty() && is_value(config.test_request_text),
         "test_request_text: at least one character");
  demand(is_value(config.username) && is_value(config.password), "username, password: no separator (SOH)");
  demand(config.heartbeat_interval.count() >= 0 && config.heartbeat_interval.count() <= k_heartbeat_seconds_max,
         "heartbeat_interval: 0 to 86400 seconds");
  demand(config.sending_time_tolerance.count() >= 0, "sending_time_tolerance: 0 or more seconds");
  demand(config.logon_timeout.count() > 0 && config.logout_timeout.count() > 0,
         "logon_timeout, logout_timeout: at least one second");
  demand(decimals == 0 || decimals == 3 || decimals == 6 || decimals == 9, "timestamp_decimals: 0, 3, 6 or 9");
  demand(config.max_body >= k_smallest_body_max && config.max_body <= k_body_max, "max_body: 512 to 60000 bytes");
  return config;
}

}  // namespace dojima::fix
