#include "dojima/gateway/drop_copy/copy_positions.hpp"

namespace dojima::gateway {
namespace {
constexpr std::size_t k_comp_id_max = 255;
}  // namespace

void write_copied(EntryWriter& out, const CopyPosition& position) noexcept {
  out.add(static_cast<std::uint8_t>(EntryKind::copied));
  out.add(position.client);
  out.add_text(std::string_view(position.copy).substr(0, k_comp_id_max));
  out.add(position.next);
  out.add(position.begun);
}

bool read_copied(StateReader& in, CopyPosition& position) {
  std::string_view copy;
  if (!in.read(position.client) || !read_text(in, copy, k_comp_id_max) || !in.read(position.next) ||
      !in.read(position.begun))
    return false;
  position.copy = copy;
  return position.next != 0 || in.fail("a message number above 0");
}

}  // namespace dojima::gateway
