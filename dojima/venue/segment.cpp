#include "dojima/venue/segment.hpp"

#include <array>

namespace dojima::venue {

const char* complaint(const Segment& segment) {
  const Timetable& table = segment.timetable;
  if (segment.name.empty() || segment.name.size() > 4) return "a segment has a name of one to four characters";
  const bool has_intraday = table.intraday_call != Duration{};
  const std::array times{table.start_of_day,
                         table.opening_call,
                         table.opening,
                         has_intraday ? table.intraday_call : table.opening,
                         has_intraday ? table.intraday : table.opening,
                         table.closing_call,
                         table.closing,
                         table.cross_end,
                         table.end_of_day};
  constexpr Duration k_day = std::chrono::hours{24};
  if (times.front() < Duration{} || times.back() > k_day) return "a timetable lies within one day";
  for (std::size_t at = 1; at < times.size(); ++at)
    if (times[at] < times[at - 1])
      return "times rise: start_of_day, opening_call, opening, intraday_call, intraday, "
             "closing_call, closing, cross_end, end_of_day";
  for (const Duration duration : {table.random_end, table.extension, table.halt, table.reopening_call})
    if (duration < Duration{} || duration > k_day) return "durations lie between 0 and a day";
  constexpr std::uint32_t k_everything = 10'000;
  if (segment.bands.static_bp > k_everything || segment.bands.dynamic_bp > k_everything)
    return "a band is at most 10000 basis points wide to either side";
  return nullptr;
}

}  // namespace dojima::venue
