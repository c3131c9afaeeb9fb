// A partition's saved state, and the settings at its beginning, with anything in them. The first byte says what the
// rest is: 0 the text of settings, 1 a state, 2 changes to the text of good settings, 3 changes to a good state (place,
// new byte; the last place cuts it). Whatever it is: it is refused with what was expected, or it comes back from what
// is written of it as the same settings, the same state. No more memory is taken for a state than the bytes can say
// that there is.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/venue/recovery/replayer.hpp"
#include "dojima/venue/settings.hpp"

namespace {

using namespace dojima;
using namespace dojima::venue;
using namespace std::chrono_literals;

constexpr std::uint32_t k_rice = 7, k_silk = 8;
constexpr Time k_start = time::from_nanoseconds(1'800'000'000'000'000'000);

/// Beyond this a run has no memory for it, though a venue may.
bool is_small(const PartitionSettings& settings) {
  const VenueLimits& limits = settings.config.limits;
  constexpr std::size_t k_most = 1 << 14;
  return limits.orders <= k_most && limits.levels <= k_most && limits.reports <= k_most &&
         limits.report_buffer <= k_most && settings.config.instruments.size() <= 16;
}

PartitionSettings make_settings() {
  const auto instrument = [](std::uint32_t id, const char* symbol, const char* segment) {
    return market::Instrument{.id = id,
                              .symbol = symbol,
                              .ticks = market::TickTable::uniform({10}, {10}, {1000}).value(),
                              .maximum_quantity = {1000},
                              .reference = {500},
                              .segment = segment};
  };
  PartitionSettings settings{.user_names = {"ann", "bob"}, .build = "test"};
  settings.config = {.app_id = 1,
                     .instruments = {instrument(k_rice, "RICE", "FOOD"), instrument(k_silk, "SILK", "")},
                     .users = std::vector<UserSetUp>(2),
                     .limits = {.orders = 24, .levels = 8, .reports = 64, .report_buffer = 2},
                     .checkpoint_every = 16,
                     .segments = {{.name = "FOOD",
                                   .timetable = {.start_of_day = 1h,
                                                 .opening_call = 2h,
                                                 .opening = 3h,
                                                 .closing_call = 4h,
                                                 .closing = 5h,
                                                 .cross_end = 6h,
                                                 .end_of_day = 7h},
                                   .bands = {.static_bp = 5000, .dynamic_bp = 2000}}}};
  return settings;
}

market::NewOrder make_order(std::uint32_t instrument, int number) {
  const bool is_buy = number % 2 == 0;
  market::NewOrder order;
  order.header.instrument = instrument;
  order.header.user = static_cast<std::uint16_t>(number / 2 % 2);
  order.terms.side = is_buy ? market::Side::buy : market::Side::sell;
  order.terms.type = number % 5 == 4 ? market::OrderType::stop_limit : market::OrderType::limit;
  order.terms.limit = {is_buy ? 450 + number % 6 * 10 : 550 - number % 6 * 10};
  order.terms.stop = {order.terms.type == market::OrderType::limit ? 0 : is_buy ? 700 : 300};
  order.terms.quantity = {1 + number % 9};
  order.terms.displayed = {number % 7 == 3 ? 0 : number % 4 == 1 ? 1 : order.terms.quantity.lots};
  order.terms.capacity = market::Capacity::dealing;
  order.labels.client_order_id = Text<20>::cut("A" + std::to_string(number));
  return order;
}

std::vector<std::byte> saved(const Replayer& replayer) {
  std::vector<std::byte> state;
  StateWriter out([&state](Bytes piece) { state.insert(state.end(), piece.begin(), piece.end()); });
  replayer.save(out, 8);
  out.flush();
  return state;
}

/// RICE in its opening call, SILK trading, orders of every place in both.
std::vector<std::byte> make_state() {
  journal::MemoryJournal journal({.keep = journal::Keep::none, .capacity = 1});
  Replayer replayer(journal);
  replayer.begin(make_settings());
  Partition& partition = *replayer.partition();
  auto submit = [&partition, now = k_start](auto command, Duration later) mutable {
    now += later;
    DOJIMA_ASSERT(partition.submit(command.header, now), "there is room");
  };
  submit(market::UserCommand{.header = {.type = market::CommandType::logon}}, 0s);
  for (int hour = 1; hour <= 2; ++hour) {
    market::DayCommand day{.midnight = k_start, .event = hour == 1 ? market::DayEvent::begin : market::DayEvent::due};
    submit(day, 1h);
  }
  for (int number = 0; number < 14; ++number) {
    submit(make_order(k_silk, number), 1s);
    submit(make_order(k_rice, number), 1s);
  }
  return saved(replayer);
}

void read_settings(std::string_view text) {
  const auto settings = parse_settings(text);
  if (!settings) {
    DOJIMA_ASSERT(settings.error().expected != nullptr, "a refusal explains itself");
    return;
  }
  const std::string again = text_of(*settings);
  const auto parsed = parse_settings(again);
  DOJIMA_ASSERT(parsed && text_of(*parsed) == again, "settings come back from their text", again.size());
  if (!is_small(*settings)) return;
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  try {
    const Partition partition(settings->config, nothing);
    static_cast<void>(partition.digest());
  } catch (const std::invalid_argument&) {
  }
}

/// False: the settings at its beginning ask for more than this run has, and it is not refused for that.
bool is_worth_loading(Bytes state) {
  StateReader in(state);
  std::string text;
  in.section("settings");
  if (!in.read(text)) return true;
  const auto settings = parse_settings(text);
  return !settings || is_small(*settings) || settings->config.limits.orders > in.left();
}

void load(Bytes state) {
  if (!is_worth_loading(state)) return;
  journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
  Replayer replayer(nothing);
  const auto loaded = replayer.load(state);
  if (!loaded) {
    DOJIMA_ASSERT(loaded.error().expected != nullptr, "a refusal explains itself");
    return;
  }
  const std::uint64_t digest = replayer.partition()->digest();
  Replayer again(nothing);
  const auto reloaded = again.load(saved(replayer));
  DOJIMA_ASSERT(reloaded.has_value(), "a state that was loaded can be saved and loaded");
  DOJIMA_ASSERT(again.partition()->digest() == digest, "... and is the same", again.partition()->digest(), digest);
}

template <class Buffer>
void change(Buffer& bytes, Bytes changes) {
  for (std::size_t at = 0; at + 3 <= changes.size() && at < 300; at += 3) {
    const std::size_t place = load_little<std::uint16_t>(changes, at);
    if (place < bytes.size()) bytes[place] = static_cast<typename Buffer::value_type>(changes[at + 2]);
    if (place == 0xffff) bytes.resize(bytes.size() * std::to_integer<std::size_t>(changes[at + 2]) / 256);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string k_text = text_of(make_settings());
  static const std::vector<std::byte> k_state = make_state();
  if (size == 0) return 0;
  const Bytes rest = std::as_bytes(std::span(data, size)).subspan(1);
  if (data[0] == 0) {
    read_settings(as_text(rest));
  } else if (data[0] == 1) {
    load(rest);
  } else if (data[0] == 2) {
    std::string text = k_text;
    change(text, rest);
    read_settings(text);
  } else {
    std::vector<std::byte> state = k_state;
    change(state, rest);
    load(state);
  }
  return 0;
}
