// Any bytes through the frame search, the message view, all typed reads and the rules. The first byte chooses: a stream
// as it is, or the body of one message whose length and checksum are put right, so that the reading behind the frame is
// reached.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "dojima/base/assert.hpp"
#include "dojima/fix/codec/scan.hpp"
#include "dojima/fix/codec/xml_form.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/rewrite.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/writer.hpp"

namespace {

using namespace dojima;

/// How many of all the ways to read a message succeed.
std::size_t readings(const fix::MessageView& view) {
  std::size_t count = 0;
  const auto note = [&count](bool is_read) { count += is_read ? 1 : 0; };
  const char* begin = reinterpret_cast<const char*>(view.bytes().data());
  for (std::size_t index = 0; index < view.size(); ++index) {
    const auto [tag, value] = view[index];
    DOJIMA_ASSERT(view.has(tag), "a field that is there is found");
    DOJIMA_ASSERT(view.find_number(view.number_of(index)).has_value(), "also by its number, however large");
    note(fix::is_well_formed_xml(value));
    DOJIMA_ASSERT(value.data() >= begin && value.data() + value.size() < begin + view.bytes().size(),
                  "a value stands inside its message");
    note(view.character(tag).has_value());
    note(view.integer(tag).has_value());
    note(view.price(tag).has_value());
    note(view.quantity(tag).has_value());
    note(view.boolean(tag).has_value());
    note(view.time(tag).has_value());
    note(view.sequence(tag).has_value());
  }
  if (const auto parties = view.group(fix::tag::k_no_party_ids, fix::k_party_members)) {
    for (const fix::GroupEntry party : *parties) note(party.find(fix::tag::k_party_role).has_value());
  }
  note(fix::check_message(view, fix::fix_4_4()).has_value());
  note(fix::check_message(view, fix::fix_4_0()).has_value());
  note(fix::check_message(view, fix::fix_4_2()).has_value());
  note(fix::check_message(view, fix::fix_4_3()).has_value());
  note(fix::check_message(view, fix::fix_5_0_sp2()).has_value());
  if (const auto parties = view.group(fix::tag::k_no_party_ids, fix::fix_4_4())) {
    for (const fix::GroupEntry party : *parties) note(party.group(fix::tag::k_no_party_sub_ids).has_value());
  }
  note(fix::missing_conditional(view) != 0);
  return count;
}

/// Every instruction set sees the same message, and what was read can be written anew.
void hold_against_others(const fix::Frame& frame, const fix::MessageView& view, const Result<void>& read) {
  for (const fix::Isa isa : {fix::Isa::scalar, fix::Isa::sse, fix::Isa::avx2, fix::Isa::avx512}) {
    const fix::Kernels* kernels = fix::kernels_of(isa);
    if (kernels == nullptr) continue;
    fix::MessageView other;
    DOJIMA_ASSERT(other.read(frame, {.kernels = kernels}) == read, "the same result");
    DOJIMA_ASSERT(other.size() == view.size(), "the same fields");
    for (std::size_t index = 0; index < view.size(); ++index)
      DOJIMA_ASSERT(other[index].tag == view[index].tag && other[index].value == view[index].value, "the same field");
  }
  if (!read) return;
  static std::byte room[70'000];
  const auto compact = fix::rewrite(view, fix::fix_4_4(), fix::FieldOrder::compact, room);
  DOJIMA_ASSERT(compact && compact->size() <= frame.bytes.size(), "written anew with the same fields");
  const std::size_t size = compact->size();
  const auto canonical = fix::rewrite(view, fix::fix_4_4(), fix::FieldOrder::canonical, room);
  DOJIMA_ASSERT(canonical && canonical->size() == size, "no field is lost in canonical order");
}

void read_stream(Bytes bytes) {
  while (!bytes.empty()) {
    const fix::FrameSearch found = fix::find_frame(bytes);
    if (found.state == fix::FrameState::incomplete) break;
    DOJIMA_ASSERT(found.size >= 1 && found.size <= bytes.size(), "a search moves on inside its bytes");
    fix::MessageView view;
    if (found.state == fix::FrameState::whole) {
      const Result<void> read = view.read(found.frame);
      const bool is_good = read.has_value();
      hold_against_others(found.frame, view, read);
      const std::size_t count = readings(view);
      DOJIMA_ASSERT(view.read(found.frame).has_value() == is_good && readings(view) == count,
                    "reading twice gives the same");
    }
    bytes = bytes.subspan(found.size);
  }
}

std::string framed(std::string_view body) {
  std::string text =
      "8=FIX.4.4\x01"
      "9=" +
      std::to_string(body.size()) + "\x01" + std::string(body);
  char trailer[16];
  std::snprintf(trailer, sizeof trailer, "10=%03u\x01", static_cast<unsigned>(fix::check_sum(as_bytes(text))));
  return text + trailer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes bytes = std::as_bytes(std::span(data + 1, size - 1));
  if (data[0] % 2 == 0) {
    read_stream(bytes);
  } else {
    const std::string text = framed("35=" + std::string(as_text(bytes)) + "\x01");
    read_stream(as_bytes(text));
  }
  return 0;
}
