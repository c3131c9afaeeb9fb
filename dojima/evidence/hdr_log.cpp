#include "dojima/evidence/hdr_log.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>
#include <zlib.h>

#include "dojima/base/assert.hpp"
#include "dojima/evidence/base64.hpp"

namespace dojima::evidence {
namespace {

using Octets = std::vector<unsigned char>;

// HistogramEncodingV2: a compressed envelope (cookie, length, zlib) around a header of 40 bytes and the counts, all
// big-endian. The 1 in 0x10 says that counts are ZigZag LEB128 numbers.
constexpr std::uint32_t k_envelope_cookie = 0x1c849304 | 0x10;
constexpr std::uint32_t k_payload_cookie = 0x1c849303 | 0x10;
constexpr std::uint32_t k_cookie_without_width = ~std::uint32_t{0xf0};
constexpr std::size_t k_envelope_size = 8;
constexpr std::size_t k_header_size = 40;
constexpr std::size_t k_largest_payload = std::size_t{64} << 20;
constexpr std::size_t k_most_counters = std::size_t{1} << 22;

template <class Whole>
void put(Octets& bytes, Whole value) {
  for (int shift = std::numeric_limits<Whole>::digits - 8; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<unsigned char>(value >> shift));
  }
}

template <class Whole>
Whole get(std::span<const unsigned char> bytes, std::size_t at) {
  Whole value = 0;
  for (std::size_t i = 0; i < sizeof(Whole); ++i) value = static_cast<Whole>(value << 8 | bytes[at + i]);
  return value;
}

/// Seven bits a byte, the ninth byte full: at most nine bytes.
void put_zigzag(Octets& bytes, std::int64_t number) {
  auto rest = static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
  for (int i = 0; i < 8; ++i) {
    if (rest < 0x80) {
      bytes.push_back(static_cast<unsigned char>(rest));
      return;
    }
    bytes.push_back(static_cast<unsigned char>(rest | 0x80));
    rest >>= 7;
  }
  bytes.push_back(static_cast<unsigned char>(rest));
}

std::optional<std::int64_t> get_zigzag(std::span<const unsigned char> bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 9; ++i) {
    if (at == bytes.size()) return std::nullopt;
    const std::uint64_t byte = bytes[at++];
    if (i == 8) {
      value |= byte << 56;
      break;
    }
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) break;
  }
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

/// The counts up to the last that is not 0; a run of zeros is one negative number.
void put_counts(Octets& bytes, const measure::HistogramView& histogram) {
  const std::size_t used = histogram.used_counters();
  for (std::size_t index = 0; index < used;) {
    if (histogram.counts[index] != 0) {
      put_zigzag(bytes, static_cast<std::int64_t>(histogram.counts[index++]));
      continue;
    }
    std::int64_t zeros = 0;
    for (; histogram.counts[index] == 0; ++index) ++zeros;
    put_zigzag(bytes, zeros == 1 ? 0 : -zeros);
  }
}

Result<std::vector<std::uint64_t>> get_counts(std::span<const unsigned char> bytes, std::size_t most) {
  std::vector<std::uint64_t> counts;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto place = static_cast<std::uint32_t>(k_header_size + at);
    const auto number = get_zigzag(bytes, at);
    if (!number) return fail(ErrorCode::incomplete, 0, place, 0, "a whole count");
    // The smallest number has no negative: compare before turning its sign.
    const std::int64_t room = static_cast<std::int64_t>(most - counts.size());
    if (*number < 0 ? *number < -room : room == 0) {
      return fail(ErrorCode::out_of_range, 0, place, *number, "as many counts as the range has");
    }
    if (*number < 0) {
      counts.resize(counts.size() + static_cast<std::size_t>(-*number));
    } else {
      counts.push_back(static_cast<std::uint64_t>(*number));
    }
  }
  return counts;
}

Octets deflated(const Octets& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  Octets result(size);
  const int status = compress(result.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()));
  DOJIMA_ASSERT(status == Z_OK, "compressBound gives room enough");
  result.resize(size);
  return result;
}

std::optional<Octets> inflated(std::span<const unsigned char> bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  // zlib does not write through next_in; its type is older than const.
  stream.next_in = const_cast<unsigned char*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  Octets result;
  int status = Z_OK;
  while (status == Z_OK && result.size() < k_largest_payload) {
    const std::size_t before = result.size();
    const std::size_t step = std::max<std::size_t>(before, 4096);
    result.resize(before + step);
    stream.next_out = result.data() + before;
    stream.avail_out = static_cast<uInt>(step);
    status = inflate(&stream, Z_NO_FLUSH);
    result.resize(before + step - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) return std::nullopt;
  return result;
}

Result<measure::HistogramLayout> layout_of(std::span<const unsigned char> payload) {
  const auto offset = get<std::uint32_t>(payload, 8);
  const auto figures = get<std::uint32_t>(payload, 12);
  const auto lowest = get<std::uint64_t>(payload, 16);
  const auto highest = get<std::uint64_t>(payload, 24);
  const auto ratio = std::bit_cast<double>(get<std::uint64_t>(payload, 32));
  if (offset != 0) return fail(ErrorCode::not_supported, 0, 8, offset, "counts that are not shifted");
  if (ratio != 1.0) return fail(ErrorCode::not_supported, 0, 32, 0, "whole numbers (conversion ratio 1)");
  if (figures < 1 || figures > 5) return fail(ErrorCode::out_of_range, 0, 12, figures, "1 to 5 significant figures");
  if (lowest == 0 || highest >> 63 != 0 || highest / 2 < lowest) {
    return fail(ErrorCode::out_of_range, 0, 16, static_cast<std::int64_t>(lowest),
                "lowest >= 1 and highest >= 2 lowest");
  }
  measure::HistogramLayout layout = measure::HistogramLayout::of_significant_figures(figures);
  layout.unit_bits = static_cast<unsigned>(std::bit_width(lowest)) - 1;
  const auto needed = static_cast<unsigned>(std::bit_width(highest));
  layout.range_bits = std::max(needed, layout.precision_bits + layout.unit_bits + 1);
  if (layout.range_bits > 63 || layout.counters() > k_most_counters) {
    return fail(ErrorCode::not_supported, 0, 24, static_cast<std::int64_t>(highest), "values below 2^63");
  }
  return layout;
}

}  // namespace

std::string encode_hdr(const measure::HistogramView& histogram) {
  const unsigned figures = histogram.layout.significant_figures();
  DOJIMA_ASSERT(figures != 0, "a layout that HdrHistogram has");
  Octets counts;
  put_counts(counts, histogram);
  Octets payload;
  put(payload, k_payload_cookie);
  put(payload, static_cast<std::uint32_t>(counts.size()));
  put(payload, std::uint32_t{0});  // normalizing index offset
  put(payload, std::uint32_t{figures});
  put(payload, std::uint64_t{1} << histogram.layout.unit_bits);
  put(payload, histogram.layout.largest());
  put(payload, std::bit_cast<std::uint64_t>(1.0));  // conversion ratio of histograms of doubles
  payload.insert(payload.end(), counts.begin(), counts.end());

  const Octets compressed = deflated(payload);
  Octets envelope;
  put(envelope, k_envelope_cookie);
  put(envelope, static_cast<std::uint32_t>(compressed.size()));
  envelope.insert(envelope.end(), compressed.begin(), compressed.end());
  return to_base64(envelope);
}

Result<measure::StoredHistogram> decode_hdr(std::string_view text) {
  const auto envelope = text.size() <= k_largest_payload ? from_base64(text) : std::nullopt;
  if (!envelope || envelope->size() < k_envelope_size)
    return fail(ErrorCode::malformed, 0, 0, 0, "base64 text HISTF...");
  const auto cookie = get<std::uint32_t>(*envelope, 0);
  if ((cookie & k_cookie_without_width) != (k_envelope_cookie & k_cookie_without_width)) {
    return fail(ErrorCode::not_supported, 0, 0, cookie, "the cookie of a compressed histogram, version 2");
  }
  if (get<std::uint32_t>(*envelope, 4) != envelope->size() - k_envelope_size) {
    return fail(ErrorCode::malformed, 0, 4, get<std::uint32_t>(*envelope, 4), "the length of what follows");
  }
  const auto payload = inflated(std::span(*envelope).subspan(k_envelope_size));
  if (!payload || payload->size() < k_header_size)
    return fail(ErrorCode::malformed, 0, 8, 0, "zlib data with a header");
  const auto inner = get<std::uint32_t>(*payload, 0);
  if ((inner & k_cookie_without_width) != (k_payload_cookie & k_cookie_without_width)) {
    return fail(ErrorCode::not_supported, 0, 0, inner, "the cookie of a histogram, version 2");
  }
  const auto size = get<std::uint32_t>(*payload, 4);
  if (size > payload->size() - k_header_size) return fail(ErrorCode::incomplete, 0, 4, size, "all counts");

  const auto layout = layout_of(*payload);
  if (!layout) return std::unexpected(layout.error());
  auto counts = get_counts(std::span(*payload).subspan(k_header_size, size), layout->counters());
  if (!counts) return std::unexpected(counts.error());
  return measure::StoredHistogram(*layout, std::move(*counts));
}

// ---------------------------------------------------------------------------------------------------------------- log

HdrLogWriter::HdrLogWriter(double start_time_s, double max_unit) : max_unit_(max_unit) {
  char line[160];
  std::snprintf(line, sizeof line, "#[Histogram log format version 1.2]\n#[StartTime: %.3f (seconds since epoch)]\n",
                start_time_s);
  text_ = line;
  text_ += "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";
}

void HdrLogWriter::add(const HdrLogInterval& interval) {
  if (!interval.tag.empty()) text_ += "Tag=" + interval.tag + ",";
  char line[160];
  std::snprintf(line, sizeof line, "%.3f,%.3f,%.3f,", interval.start_s, interval.length_s,
                static_cast<double>(interval.histogram.max) / max_unit_);
  text_ += line + encode_hdr(interval.histogram.view()) + '\n';
}

namespace {

std::optional<double> seconds(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// "#[StartTime: 1441812279.474 (seconds since epoch), ...": the number after the colon.
std::optional<double> time_in_comment(std::string_view line, std::string_view beginning) {
  if (!line.starts_with(beginning)) return std::nullopt;
  line.remove_prefix(beginning.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return seconds(line.substr(0, line.find(' ')));
}

/// Takes the part up to the next comma, and the comma, off the line.
std::string_view next_part(std::string_view& line) {
  const std::string_view part = line.substr(0, line.find(','));
  line.remove_prefix(std::min(part.size() + 1, line.size()));
  return part;
}

Result<HdrLogInterval> parse_interval(std::string_view line, std::uint32_t line_number) {
  HdrLogInterval interval;
  if (line.starts_with("Tag=")) interval.tag = next_part(line).substr(4);
  const auto start = seconds(next_part(line));
  const auto length = seconds(next_part(line));
  const auto max = seconds(next_part(line));
  if (!start || !length || !max) {
    return fail(ErrorCode::malformed, 0, line_number, 0, "start, length and maximum as numbers, then a histogram");
  }
  auto histogram = decode_hdr(line);
  if (!histogram) {
    Error error = histogram.error();
    error.offset = line_number;
    return std::unexpected(error);
  }
  interval.start_s = *start;
  interval.length_s = *length;
  interval.histogram = std::move(*histogram);
  return interval;
}

}  // namespace

Result<HdrLog> parse_hdr_log(std::string_view text) {
  HdrLog log;
  for (std::uint32_t line_number = 1; !text.empty(); ++line_number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with("\"StartTimestamp\"")) continue;
    if (line.starts_with('#')) {
      if (const auto start = time_in_comment(line, "#[StartTime:")) log.start_time_s = start;
      if (const auto base = time_in_comment(line, "#[BaseTime:")) log.base_time_s = base;
      continue;
    }
    auto interval = parse_interval(line, line_number);
    if (!interval) return std::unexpected(interval.error());
    log.intervals.push_back(std::move(*interval));
  }
  return log;
}

}  // namespace dojima::evidence
