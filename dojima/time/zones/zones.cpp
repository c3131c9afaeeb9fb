#include "dojima/time/zones.hpp"

#include <chrono>
#include <date/tz.h>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/time/zones/posix_rule.hpp"

namespace dojima::time {
namespace {

using Changes = std::vector<ZoneRules::Change>;

constexpr auto k_first = std::chrono::floor<std::chrono::seconds>(ZoneRules::k_begin);
constexpr auto k_last = std::chrono::floor<std::chrono::seconds>(ZoneRules::k_end);

/// Where the system keeps its zones, the same places where the library looks.
constexpr const char* k_folders[] = {"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo"};

/// The last line of a zone's file, its rule for the years behind those that are listed (RFC 8536, section 3.3). The
/// library reads the list only.
std::optional<std::string> last_line(const std::string& zone) {
  for (const char* folder : k_folders) {
    std::ifstream file(std::filesystem::path(folder) / zone, std::ios::binary);
    if (!file) continue;
    std::string line, last;
    while (std::getline(file, line)) last = std::exchange(line, {});
    return last;
  }
  return std::nullopt;
}

/// What the database lists. Changes of the name or of what is called daylight saving are none of the offset.
Changes listed_changes(const date::time_zone& zone) {
  Changes changes;
  date::sys_info info = zone.get_info(k_first);
  while (info.end < k_last) {
    const auto before = info.offset;
    info = zone.get_info(info.end);
    if (info.offset != before) changes.push_back({info.begin, info.offset});
  }
  return changes;
}

/// What the rule adds behind the last change that is listed.
void expand(Changes& changes, std::chrono::seconds offset, const PosixRule& rule) {
  if (!rule.daylight) return;
  const Time listed_until = changes.empty() ? ZoneRules::k_begin : changes.back().at;
  std::int32_t year =
      date_of(static_cast<std::int32_t>(day_of(listed_until).time_since_epoch() / std::chrono::days{1})).year;
  for (; year < 2262; ++year) {
    for (const ZoneRules::Change& change : rule.changes(year)) {
      if (change.at <= listed_until || change.at >= ZoneRules::k_end) continue;
      // Daylight saving all the year through ends and begins in one instant.
      if (!changes.empty() && changes.back().at == change.at) changes.pop_back();
      if ((changes.empty() ? offset : changes.back().offset) != change.offset) changes.push_back(change);
    }
  }
}

}  // namespace

Result<ZoneRules> load_zone(std::string_view name) {
  try {
    static_cast<void>(date::get_tzdb());
  } catch (const std::exception&) {
    return fail(ErrorCode::unavailable, 0, 0, 0, "the time zones of the system (package tzdata)");
  }
  const date::time_zone* zone = nullptr;
  try {
    zone = date::locate_zone(name);
  } catch (const std::exception&) {
    return fail(ErrorCode::unknown, 0, 0, 0, "the name of a time zone in the IANA database, like Europe/London");
  }
  try {
    const std::optional<std::string> line = last_line(zone->name());
    if (!line) return fail(ErrorCode::unavailable, 0, 0, 0, "the file of the time zone in /usr/share/zoneinfo");
    const std::chrono::seconds offset = zone->get_info(k_first).offset;
    Changes changes = listed_changes(*zone);
    if (!line->empty()) {  // else the last offset stays
      const Result<PosixRule> rule = PosixRule::parse(*line);
      if (!rule) return std::unexpected(rule.error());
      expand(changes, offset, *rule);
    }
    return ZoneRules(std::string(name), offset, std::move(changes));
  } catch (const std::exception&) {
    return fail(ErrorCode::malformed, 0, 0, 0, "a file of the IANA database");
  }
}

}  // namespace dojima::time
