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
  web::Picture picture({.name = "a picture", .instruments = {{.id = 7, .symbol = "RICE"}, {.id = 9, .symbol = "SOY"}}});
  picture.apply(web::Fact::of(web::FactKind::report, time::from_nanoseconds(1),
                              market::BookReport{.order = {1},
                                                 .price = {5},
                                                 .leaves = {5},
                                                 .displayed = {5},
                                                 .instrument = 7,
                                                 .kind = market::BookReportKind::added,
                                                 .side = market::Side::buy}),
                nullptr);
  web::ClientView view;
  web::Screen screen;
  std::string_view words(reinterpret_cast<const char*>(data + 1), size - 1);
  while (!words.empty()) {
    const std::size_t end = words.find('\n');
    static_cast<void>(view.on_words(words.substr(0, end), picture));
    words = end == std::string_view::npos ? std::string_view() : words.substr(end + 1);
    picture.settle();
    const auto frame = view.next_frame(picture);
    if (!frame) continue;
    const auto taken = screen.apply(std::as_bytes(std::span(*frame)));
    DOJIMA_ASSERT(taken.has_value(), "what a dashboard says is sound", frame->size());
  }
  return 0;
}
