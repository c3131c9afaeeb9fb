#include "dojima/mitch/unit.hpp"

#include <algorithm>
#include <cstring>

#include "dojima/base/assert.hpp"

namespace dojima::mitch {
namespace {

[[nodiscard]] UnitHeader header_in(Bytes bytes) noexcept {
  return {.length = load(bytes, UnitHeader::length_place),
          .message_count = load(bytes, UnitHeader::message_count_place),
          .market_data_group = load(bytes, UnitHeader::market_data_group_place),
          .sequence_number = load(bytes, UnitHeader::sequence_number_place)};
}

/// Steps through the messages by their lengths.
[[nodiscard]] Result<void> check_messages(Bytes unit, std::size_t count) noexcept {
  std::size_t at = UnitHeader::k_size;
  for (std::size_t message = 0; message < count; ++message) {
    const std::size_t rest = unit.size() - at;
    const auto place = static_cast<std::uint32_t>(at);
    if (rest < k_message_header_size)
      return fail(ErrorCode::malformed, 2, place, static_cast<std::int64_t>(message),
                  "as many messages as MessageCount");
    const auto length = std::to_integer<std::size_t>(unit[at]);
    if (length < k_message_header_size || length > rest)
      return fail(ErrorCode::malformed, 0, place, static_cast<std::int64_t>(length), "a length inside the unit");
    if (count > 1 && is_administrative(load_little<char>(unit, at + 1)))
      return fail(ErrorCode::malformed, 1, place, std::to_integer<std::int64_t>(unit[at + 1]),
                  "an administrative message alone in its unit");
    at += length;
  }
  if (at != unit.size())
    return fail(ErrorCode::malformed, 2, static_cast<std::uint32_t>(at), static_cast<std::int64_t>(unit.size()),
                "messages that end with the unit");
  return {};
}

}  // namespace

Result<Unit> read_unit(Bytes bytes) noexcept {
  if (bytes.size() < UnitHeader::k_size) return fail(ErrorCode::incomplete);
  const UnitHeader header = header_in(bytes);
  if (header.length < UnitHeader::k_size)
    return fail(ErrorCode::malformed, 0, 0, header.length, "a length of at least the header's 8 bytes");
  if (bytes.size() < header.length) return fail(ErrorCode::incomplete);
  const Bytes whole = bytes.first(header.length);
  if (const Result<void> checked = check_messages(whole, header.message_count); !checked)
    return std::unexpected(checked.error());
  return Unit(header, whole.subspan(UnitHeader::k_size));
}

UnitWriter::UnitWriter(Room room, char market_data_group) noexcept
    : room_(room.first(std::min(room.size(), k_unit_size_max))), group_(market_data_group) {
  DOJIMA_ASSERT(room.size() >= UnitHeader::k_size, "a unit has room for its header", room.size());
}

void UnitWriter::begin(std::uint32_t sequence_number) noexcept {
  sequence_ = sequence_number;
  size_ = UnitHeader::k_size;
  count_ = 0;
  is_sealed_ = false;
}

Result<void> UnitWriter::append_encoded(Bytes message) noexcept {
  if (is_sealed_) return fail(ErrorCode::wrong_state, 0, 0, count_, "an administrative message alone in its unit");
  if (count_ == k_unit_messages_max || message.size() > room_.size() - size_)
    return fail(ErrorCode::no_room, 0, 0, count_, "room in the unit");
  std::memcpy(room_.data() + size_, message.data(), message.size());
  size_ += message.size();
  ++count_;
  return {};
}

Bytes UnitWriter::finish() noexcept {
  DOJIMA_ASSERT(size_ >= UnitHeader::k_size && size_ <= room_.size(), "the messages of a unit fit its room", size_,
                room_.size(), count_, sequence_);
  store(room_, UnitHeader::length_place, static_cast<std::uint16_t>(size_));
  store(room_, UnitHeader::message_count_place, count_);
  store(room_, UnitHeader::market_data_group_place, group_);
  store(room_, UnitHeader::sequence_number_place, sequence_);
  return room_.first(size_);
}

}  // namespace dojima::mitch
