#include "dojima/app/configuration/fix_schema.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "dojima/link/host_pattern.hpp"

namespace dojima::app {
namespace {

constexpr std::int64_t k_day_s = 86'400;
constexpr std::int64_t k_many = 1'000'000'000;
constexpr std::size_t k_name = 64;

constexpr std::array<std::string_view, 2> k_profiles = {"compact", "canonical"};
static_assert(static_cast<std::size_t>(fix::Profile::canonical) + 1 == k_profiles.size());
constexpr std::array<std::string_view, 2> k_refusals = {"silent", "logout"};
static_assert(static_cast<std::size_t>(fix::Refusal::logout) + 1 == k_refusals.size());
constexpr std::array<std::string_view, 2> k_tls_versions = {"1.2", "1.3"};
static_assert(static_cast<std::size_t>(net::TlsVersion::tls_1_3) + 1 == k_tls_versions.size());

void describe_seconds(std::string_view key, std::chrono::seconds& value, std::int64_t lowest, std::string_view meaning,
                      ConfigVisitor& visitor) {
  std::int64_t count = value.count();
  visitor.integer(key, count, lowest, k_day_s, meaning);
  value = std::chrono::seconds{count};
}

void describe_count(std::string_view key, std::uint64_t& value, std::string_view meaning, ConfigVisitor& visitor) {
  auto count = static_cast<std::int64_t>(value);
  visitor.integer(key, count, 0, k_many, meaning);
  value = static_cast<std::uint64_t>(count);
}

void describe_resets_and_times(fix::SessionConfig& session, ConfigVisitor& visitor) {
  visitor.flag("reset_on_logon", session.reset_on_logon, "every logon begins sequence numbers at 1");
  visitor.flag("reset_on_logout", session.reset_on_logout, "so does every Logout, of either side");
  visitor.flag("reset_on_disconnect", session.reset_on_disconnect, "and every end of a connection");
  visitor.flag("reset_on_error", session.reset_on_error, "and every end that a broken rule brought about");
  describe_seconds("sending_time_tolerance_s", session.sending_time_tolerance, 0,
                   "how far a client's clock may be off; 0: not looked at", visitor);
  describe_seconds("logon_timeout_s", session.logon_timeout, 1, "from the connection to the Logon", visitor);
  describe_seconds("logout_timeout_s", session.logout_timeout, 1, "until the answer to a Logout", visitor);
  describe_seconds("stall_timeout_s", session.stall_timeout, 0,
                   "a client that takes nothing of what it is sent for so long is ended, and is not read meanwhile; "
                   "0: when its store has forgotten what waits",
                   visitor);
  visitor.integer("timestamp_decimals", session.timestamp_decimals, 0, 9, "of what is written: 0, 3, 6 or 9");
  if (session.timestamp_decimals % 3 != 0) visitor.complain("timestamp_decimals", "0, 3, 6 or 9");
  visitor.text("test_request_text", session.test_request_text, k_name, "TestReqID (112) of our TestRequests");
  if (session.test_request_text.empty()) visitor.complain("test_request_text", "at least one character");
  visitor.integer("test_request_percent", session.test_request_percent, 100, 100'000,
                  "of the heartbeat interval: so long may a client be silent before our TestRequest");
  visitor.integer("give_up_percent", session.give_up_percent, 100, 100'000, "... and before the connection ends");
  if (session.give_up_percent <= session.test_request_percent)
    visitor.complain("give_up_percent", "must be more than test_request_percent");
}

void describe_messages(fix::SessionConfig& session, ConfigVisitor& visitor) {
  describe_enum("profile", session.profile, k_profiles,
                "canonical: session messages byte by byte as test cases of the session layer have them", visitor);
  describe_enum("refusal", session.refusal, k_refusals, "what a client gets whose Logon is refused", visitor);
  visitor.integer("max_body", session.max_body, 512, 60'000, "largest BodyLength, both ways");
  visitor.flag("announces_max_message_size", session.announces_max_message_size,
               "Logons name it, as MaxMessageSize (383)");
  describe_count("resend_chunk", session.resend_chunk, "messages that one ResendRequest of ours asks for; 0: all",
                 visitor);
  describe_count("resend_limit", session.resend_limit,
                 "messages that one of the client's gets, the newest; older ones are gap-filled. 0: all", visitor);
  visitor.flag("next_expected", session.next_expected, "Logons carry NextExpectedMsgSeqNum (789)");
  visitor.flag("last_processed", session.last_processed, "every header carries LastMsgSeqNumProcessed (369)");
  visitor.flag("rejects_garbled", session.rejects_garbled, "garbled messages get a Reject where they show a number");
  visitor.integer("rejects_in_a_row", session.rejects_in_a_row, 0, k_many,
                  "so many refused messages, none accepted in between, end the session; 0: no bound");
}

void describe_schedule(FixSettings& settings, ConfigVisitor& visitor) {
  visitor.text("schedule_start", settings.schedule_start, 8,
               "\"08:00\": sessions are held from here to schedule_end, then begin anew; empty: for ever");
  visitor.text("schedule_end", settings.schedule_end, 8, "not later than the start: on the day after");
  visitor.text("schedule_days", settings.schedule_days, 80, "\"Monday Tuesday\": when they begin; empty: every day");
  visitor.text("schedule_start_day", settings.schedule_start_day, 9, "with schedule_end_day: one session a week");
  visitor.text("schedule_end_day", settings.schedule_end_day, 9, "");
  visitor.text("logon_start", settings.logon_start, 8, "when one may log on; empty: as long as the session is held");
  visitor.text("logon_end", settings.logon_end, 8, "");
  visitor.text("time_zone", settings.time_zone, k_name, "whose clocks these are, e.g. Asia/Tokyo");
  if (const auto schedule = schedule_of(settings); !schedule)
    visitor.complain(schedule.error().key, schedule.error().what);
}

void describe_checks(fix::Checks& checks, ConfigVisitor& visitor) {
  visitor.flag("check_unknown_tags", checks.unknown_tags, "0: tags that the dictionary does not have");
  visitor.flag("user_tags", checks.user_tags, "tags of the client's own, 5000 and above, were agreed and pass");
  visitor.flag("check_message_tags", checks.message_tags, "2: tags that this message does not have");
  visitor.flag("check_required", checks.required, "1: required fields");
  visitor.flag("check_instrument", checks.instrument, "1: a required Instrument");
  visitor.flag("check_required_components", checks.required_components, "1: all other required components");
  visitor.flag("check_empty_values", checks.empty_values, "4");
  visitor.flag("check_formats", checks.formats, "6");
  visitor.flag("check_values", checks.values, "5: enumerations");
  visitor.flag("check_repeated", checks.repeated, "13: a tag twice");
  visitor.flag("check_order", checks.order, "14: header, body, trailer");
  visitor.flag("check_groups", checks.groups, "15, 16: repeating groups");
  visitor.flag("check_group_order", checks.group_order, "15: members in the dictionary's order");
  visitor.flag("check_separators", checks.separators, "17: a field without `=`; else the message is ignored");
  visitor.flag("check_encryption", checks.encryption, "7: SecureData");
  visitor.flag("check_signatures", checks.signatures, "8: Signature");
  visitor.flag("check_versions", checks.versions, "18: versions of the application");
}

}  // namespace

void describe_fix_session(fix::SessionConfig& session, FixSettings& settings, ConfigVisitor& visitor) {
  describe_resets_and_times(session, visitor);
  describe_messages(session, visitor);
  describe_schedule(settings, visitor);
  visitor.text("dictionary", settings.dictionary, 4096,
               "an XML file; empty: that of the client's version with the extension of docs/gateway.md");
  describe_checks(session.checks, visitor);
}

void describe_templates(GatewayConfig& config, ConfigVisitor& visitor) {
  std::vector<gateway::SessionTemplate>& templates = config.gateway.templates;
  visitor.list("template", templates, "other values of [fix], for the clients that name them",
               [&](gateway::SessionTemplate& row) {
                 config.templates.resize(templates.size());
                 FixSettings& settings = config.templates[static_cast<std::size_t>(&row - templates.data())];
                 if (row.name.empty()) {
                   row = config.gateway.fix;
                   settings = config.fix;
                 }
                 visitor.text("name", row.name, k_name, "what clients call it");
                 if (row.name.empty()) visitor.complain("name", "a template needs a name");
                 describe_fix_session(row.session, settings, visitor);
               });
}

void describe_client_session(gateway::ClientConfig& client, const GatewayConfig& config, ConfigVisitor& visitor) {
  visitor.text("sub_id", client.sub_id, 32, "its SenderSubID (50), demanded and sent back; empty: none");
  visitor.text("location_id", client.location_id, 32, "its SenderLocationID (142), likewise");
  visitor.text("template", client.session_template, k_name, "a [[template]] for its session; empty: [fix]");
  std::string hosts;
  for (const std::string& host : client.allowed_hosts) hosts += (hosts.empty() ? "" : " ") + host;
  visitor.text("allowed_hosts", hosts, 1024, "\"10.1.0.0/16 127.0.0.1\": where it may come from; empty: anywhere");
  client.allowed_hosts = words_of(hosts);
  for (const std::string& host : client.allowed_hosts)
    if (!link::is_host_pattern(host))
      visitor.complain("allowed_hosts", "\"" + host + "\" is no host, address or network such as 10.1.0.0/16");
  visitor.text("username", client.username, 64, "Username (553) of its Logon; empty: any");
  const auto& templates = config.gateway.templates;
  if (!client.session_template.empty() &&
      std::ranges::find(templates, client.session_template, &gateway::SessionTemplate::name) == templates.end())
    visitor.complain("template", "there is no [[template]] of this name");
}

void describe_tls(net::TlsConfig& tls, ConfigVisitor& visitor) {
  visitor.section("tls", "clients are taken over TLS where there is a certificate: docs/net.md");
  visitor.text("certificate", tls.certificate_file, 4096,
               "PEM: ours, then those between it and the authority; empty: no TLS");
  visitor.text("key", tls.key_file, 4096, "PEM, without a password; empty: it is beside the certificate");
  visitor.text("trusted", tls.trusted_file, 4096, "PEM: the authorities of clients' certificates");
  visitor.flag("demand_client_certificate", tls.demand_client_certificate, "a client without one is turned away");
  describe_enum("min_version", tls.min_version, k_tls_versions, "of TLS", visitor);
  if (tls.certificate_file.empty() &&
      (!tls.key_file.empty() || !tls.trusted_file.empty() || tls.demand_client_certificate))
    visitor.complain("certificate", "without a certificate there is no TLS");
  if (tls.demand_client_certificate && tls.trusted_file.empty())
    visitor.complain("trusted", "demand_client_certificate needs the authorities of clients' certificates");
}

}  // namespace dojima::app
