// Parameters of a queue-reactive market come from files. Whatever is accepted is written and read again as the same,
// and makes a day that is no crossed market, or is refused in words.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "dojima/base/assert.hpp"
#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/days/queue_reactive_day.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto model = recorded::read_queue_reactive(text);
  if (!model) {
    DOJIMA_ASSERT(model.error().find('\n') == std::string::npos, "trouble is one line");
    return 0;
  }
  const std::string written = recorded::write_queue_reactive(*model);
  const auto again = recorded::read_queue_reactive(written);
  DOJIMA_ASSERT(again.has_value() && again->rates == model->rates, "what was written is read as the same");
  std::uint64_t orders = 0;
  for (const flow::QueueRates& rates : model->rates.rates) orders += rates.occupancy > 0 ? 1 : 0;
  if (model->rates.levels() > 64 || model->rates.lengths > 64) return 0;  // it would take long
  try {
    recorded::QueueReactiveDay day({.model = *model, .seed = orders, .events = 200});
    recorded::DepthBooks books;
    recorded::RecordedEvent event;
    while (day.next(event) == recorded::Next::event) {
      books.apply(event, day.instruments());
      if (event.has(recorded::k_last)) DOJIMA_ASSERT(!books.of(0).is_crossed(), "bids are below asks");
    }
  } catch (const std::invalid_argument&) {
    return 0;
  }
  return 0;
}
