// Units of MIT303 over arbitrary bytes: framed, read, kept as books. What was read must be written again as the same
// but for reserved bytes, and whatever comes, the books stay sound.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/unit.hpp"

namespace {

using namespace dojima;

using Buffer = std::array<std::byte, 128>;

template <class Message>
void check_again(const Message& record) {
  Buffer room;
  const Result<std::size_t> size = mitch::encode(record, room);
  DOJIMA_ASSERT(size.has_value() && *size == Message::k_size, "what was read can be written");
  const Result<Message> again = mitch::decode<Message>(Bytes(room).first(*size));
  DOJIMA_ASSERT(again.has_value() && *again == record, "and read again as the same");
}

void check_message(Bytes message, mitch::BookBuilder& books) {
  const auto visit = [](const auto& record) { check_again(record); };
  static_cast<void>(mitch::dispatch<mitch::ApplicationMessages>(message, visit));
  static_cast<void>(mitch::dispatch<mitch::AdministrativeMessages>(message, visit));
  static_cast<void>(books.apply(message));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mitch::BookBuilder books({.instruments = 3, .orders = 12, .levels = 5, .quote_levels = 2});
  Bytes rest = std::as_bytes(std::span(data, size));
  while (const Result<mitch::Unit> unit = mitch::read_unit(rest)) {
    std::size_t count = 0;
    for (const Bytes message : *unit) {
      check_message(message, books);
      ++count;
    }
    DOJIMA_ASSERT(count == unit->header().message_count, "as many messages as the header says");
    rest = rest.subspan(unit->size());
  }
  DOJIMA_ASSERT(books.inconsistency() == nullptr, "the books stay sound");

  // Once more as messages whose lengths are right, so that the fields are reached: one byte chooses the type.
  mitch::BookBuilder others({.instruments = 3, .orders = 12, .levels = 5, .quote_levels = 2});
  const auto& layouts = mitch::k_application_layouts;
  for (std::size_t at = 0; at < size;) {
    const MessageLayout& layout = layouts[data[at++] % layouts.size()];
    std::vector<std::byte> message(layout.size);
    const std::size_t body = std::min<std::size_t>(layout.size - mitch::k_message_header_size, size - at);
    std::memcpy(message.data() + mitch::k_message_header_size, data + at, body);
    at += body;
    store_little(Room(message), 0, static_cast<std::uint8_t>(layout.size));
    store_little(Room(message), 1, layout.type);
    check_message(message, others);
  }
  DOJIMA_ASSERT(others.inconsistency() == nullptr, "the books stay sound");
  return 0;
}
