#include "dojima/measure/service_trace.hpp"

#include <cstring>
#include <string_view>

#include "dojima/base/bytes.hpp"

namespace dojima::measure {
namespace {

constexpr std::string_view k_magic = "DOJSVC01";
constexpr std::size_t k_head = 16;

static_assert(std::has_unique_object_representations_v<ServiceRecord>, "records lie in the file as they are");

}  // namespace

std::string encode_service_trace(std::span<const ServiceRecord> records) {
  std::string file(k_head + records.size_bytes(), '\0');
  const Room room = std::as_writable_bytes(std::span(file));
  std::memcpy(file.data(), k_magic.data(), k_magic.size());
  store_little(room, k_magic.size(), std::uint64_t{records.size()});
  if (!records.empty()) std::memcpy(file.data() + k_head, records.data(), records.size_bytes());
  return file;
}

Result<std::vector<ServiceRecord>> decode_service_trace(std::span<const std::byte> file) {
  if (file.size() < k_head || std::memcmp(file.data(), k_magic.data(), k_magic.size()) != 0) {
    return fail(ErrorCode::malformed, 0, 0, 0, "\"DOJSVC01\" and a count");
  }
  const auto count = load_little<std::uint64_t>(file, k_magic.size());
  const std::size_t there = (file.size() - k_head) / sizeof(ServiceRecord);
  if ((file.size() - k_head) % sizeof(ServiceRecord) != 0 || count != there) {
    return fail(ErrorCode::malformed, 0, static_cast<std::uint32_t>(k_magic.size()), static_cast<std::int64_t>(there),
                "as many records as the count says");
  }
  std::vector<ServiceRecord> records(there);
  if (there > 0) std::memcpy(records.data(), file.data() + k_head, there * sizeof(ServiceRecord));
  for (std::size_t i = 0; i < there; ++i) {
    if (records[i].arrival_ns > records[i].start_ns || records[i].start_ns > records[i].end_ns) {
      return fail(ErrorCode::malformed, 0, static_cast<std::uint32_t>(k_head + i * sizeof(ServiceRecord)), 0,
                  "arrival, start and end in this order");
    }
  }
  return records;
}

}  // namespace dojima::measure
