#include "dojima/mit/dialect.hpp"

namespace dojima::mit {

Result<Frame> read_frame(Bytes bytes, std::size_t longest) noexcept {
  if (bytes.empty()) return fail(ErrorCode::incomplete);
  if (bytes[0] != k_start_of_message)
    return fail(ErrorCode::malformed, 0, 0, std::to_integer<std::int64_t>(bytes[0]), "the start of a message, 2");
  // Judged only when the whole header is there, so that the answer does not depend on how the bytes were delivered.
  if (bytes.size() < k_header_size) return fail(ErrorCode::incomplete);
  const std::int64_t length = load_little<std::int16_t>(bytes, k_length_offset);
  if (length < 1 || length > static_cast<std::int64_t>(longest - k_uncounted))
    return fail(ErrorCode::malformed, k_length_offset, k_length_offset, length, "the length of a message");
  return Frame{static_cast<std::size_t>(length) + k_uncounted, load_little<char>(bytes, k_type_offset)};
}

}  // namespace dojima::mit
