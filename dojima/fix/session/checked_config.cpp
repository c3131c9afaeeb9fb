#include "dojima/fix/session/checked_config.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/link/host_pattern.hpp"

namespace dojima::fix {
namespace {

/// In front of and behind the body: "8=FIXT.1.1", "9=" with five digits, "10=ddd", separators.
constexpr std::size_t k_frame_size = 11 + 8 + 7;
constexpr std::size_t k_duplicate_reserve = 64;
constexpr std::size_t k_smallest_body_max = 512;
constexpr unsigned k_percent_max = 100'000;

void demand(bool is_right, const char* what) {
  if (!is_right) throw std::invalid_argument(what);
}

bool is_value(const std::string& text) noexcept {
  return text.find('\x01') == std::string::npos;
}

void check_names(const SessionConfig& config) {
  demand(!config.sender_comp_id.empty() && is_value(config.sender_comp_id), "sender_comp_id: at least one character");
  demand(!config.target_comp_id.empty() && is_value(config.target_comp_id), "target_comp_id: at least one character");
  demand(is_value(config.sender_sub_id) && is_value(config.sender_location_id) && is_value(config.target_sub_id) &&
             is_value(config.target_location_id),
         "sender_sub_id, sender_location_id, target_sub_id, target_location_id: no separator (SOH)");
  demand(!config.test_request_text.empty() && is_value(config.test_request_text),
         "test_request_text: at least one character");
  demand(is_value(config.username) && is_value(config.password), "username, password: no separator (SOH)");
}

void check_times(const SessionConfig& config) {
  demand(config.heartbeat_interval.count() >= 0 && config.heartbeat_interval.count() <= k_heartbeat_seconds_max,
         "heartbeat_interval: 0 to 86400 seconds");
  demand(config.sending_time_tolerance.count() >= 0, "sending_time_tolerance: 0 or more seconds");
  demand(config.logon_timeout.count() > 0 && config.logout_timeout.count() > 0,
         "logon_timeout, logout_timeout: at least one second");
  demand(config.test_request_percent >= 100 && config.test_request_percent < config.give_up_percent &&
             config.give_up_percent <= k_percent_max,
         "test_request_percent, give_up_percent: at least 100, the second above the first, at most 100000");
}

}  // namespace

const VersionRules& version_rules_of(const SessionConfig& config) noexcept {
  const VersionRules* const rules = find_version_rules(config.begin_string);
  DOJIMA_ASSERT(rules != nullptr, "a checked configuration has a version that sessions speak");
  return *rules;
}

const Dictionary& dictionary_for(const SessionConfig& config) {
  if (config.dictionary != nullptr) return *config.dictionary;
  const Dictionary* built_in = dictionary_of(config.begin_string, config.default_appl_ver_id);
  return built_in == nullptr ? fix_4_4() : *built_in;
}

std::size_t message_size_max(const SessionConfig& config) noexcept {
  return k_frame_size + config.max_body - k_duplicate_reserve;
}

SessionConfig checked(SessionConfig config) {
  const VersionRules* const version = find_version_rules(config.begin_string);
  demand(version != nullptr, "begin_string: FIX.4.0 to FIX.4.4, or FIXT.1.1");
  if (config.begin_string == k_fixt) {
    if (config.default_appl_ver_id.empty()) config.default_appl_ver_id = dictionary_for(config).application_version();
    demand(!config.default_appl_ver_id.empty() && is_value(config.default_appl_ver_id),
           "default_appl_ver_id: the dictionary names none");
    demand(config.dictionary != nullptr || dictionary_of(k_fixt, config.default_appl_ver_id) != nullptr,
           "default_appl_ver_id: 2 (FIX 4.0) to 9 (FIX 5.0 SP2)");
  }
  check_names(config);
  check_times(config);
  const unsigned decimals = config.timestamp_decimals;
  demand(decimals == 0 || decimals == 3 || decimals == 6 || decimals == 9, "timestamp_decimals: 0, 3, 6 or 9");
  constexpr unsigned k_canonical_decimals = 3;
  config.timestamp_decimals = std::min(decimals, version->decimals);
  if (config.profile == Profile::canonical)
    config.timestamp_decimals = std::min(config.timestamp_decimals, k_canonical_decimals);
  demand(config.max_body >= k_smallest_body_max && config.max_body <= k_body_max, "max_body: 512 to 60000 bytes");
  demand(std::ranges::all_of(config.allowed_hosts, link::is_host_pattern),
         "allowed_hosts: host names, addresses or networks such as 10.1.0.0/16");
  demand(!config.next_expected || version->has_next_expected, "next_expected: FIX 4.4 or later");
  demand((!config.last_processed && !config.announces_max_message_size) || version->has_details,
         "last_processed, announces_max_message_size: FIX 4.2 or later");
  return config;
}

}  // namespace dojima::fix
