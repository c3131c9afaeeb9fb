#include "dojima/venue/front/request_marks.hpp"

#include "dojima/mit/identifiers.hpp"

namespace dojima::venue {

void RequestMarks::mark(std::uint8_t stage, const Text<20>& client_order_id) {
  if (const Result<std::uint64_t> number = mit::parse_base62(client_order_id.view())) probe_->mark(stage, *number);
}

}  // namespace dojima::venue
