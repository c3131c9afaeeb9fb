// Any bytes as a frame of the dashboard, and any words to it: a screen takes them or says why not, and a view that was
// told words still makes frames that a screen takes whole. The first byte says which.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dojima/base/assert.hpp"
#include "dojima/web/dashboard/client_view.hpp"
#include "dojima/web/dashboard/picture.hpp"
#include "dojima/web/dashboard/screen.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  if (size == 0) return 0;
  if (data[0] % 2 == 0) {
    web::Screen screen;
    static_cast<void>(screen.apply(std::as_bytes(std::span(data + 1, size - 1))));
    return 0;
  }
  web::Picture picture({.name = "a picture",
                        .instruments = {{.id = 7, .symbol = "RICE"}, {.id = 9, .symbol = "SOY"}},
                        .sessions = {"KONOIKE"}});
  web::InstrumentFact heard{.instrument = 11, .quantity_decimals = 2};
  heard.symbol[0] = 'N';
  picture.apply(web::Fact::of(web::FactKind::instrument, time::from_nanoseconds(1), heard), nullptr);
  picture.apply(web::Fact::of(web::FactKind::level, time::from_nanoseconds(1),
                              web::LevelFact{.price = 6, .quantity = 3, .instrument = 9, .side = market::Side::sell}),
                nullptr);
  picture.apply(web::Fact::of(web::FactKind::band, time::from_nanoseconds(1),
                              web::BandFact{.bands = {.dynamic_low = 1, .dynamic_high = 9}, .instrument = 7}),
                nullptr);
  picture.apply(web::Fact::of(web::FactKind::notice, time::from_nanoseconds(1),
                              web::NoticeFact{.number = 1, .is_last = 1, .size = 2, .text = {'h', 'i'}}),
                nullptr);
  picture.apply(web::Fact::of(web::FactKind::report, time::from_nanoseconds(1),
                              market::BookReport{.order = {1},
                                                 .price = {5},
                                                 .leaves = {5},
                                                 .displayed = {5},
                                                 .instrument = 7,
                                                 .kind = market::BookReportKind::added,
                                                 .side = market::Side::buy},
                              1),
                nullptr);
  web::ClientView view;
  web::Screen screen;
  std::string_view words(reinterpret_cast<const char*>(data + 1), size - 1);
  while (!words.empty()) {
    const std::size_t end = words.find('\n');
    static_cast<void>(view.on_words(words.substr(0, end), picture));
    words = end == std::string_view::npos ? std::string_view() : words.substr(end + 1);
    // Time begins anew between two words.
    if (words.starts_with('!'))
      picture.apply(web::Fact::of(web::FactKind::start, time::from_nanoseconds(1), std::uint32_t{0}), nullptr);
    picture.settle();
    const auto frame = view.next_frame(picture);
    if (!frame) continue;
    const auto taken = screen.apply(std::as_bytes(std::span(*frame)));
    DOJIMA_ASSERT(taken.has_value(), "what a dashboard says is sound", frame->size());
  }
  return 0;
}
