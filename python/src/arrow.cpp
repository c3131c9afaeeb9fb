#include "arrow.hpp"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

namespace dojima::python {
namespace {

constexpr std::int64_t k_nullable = 2;

// ---- Out -----------------------------------------------------------------------------------------------------------

const char* format_of(ColumnType type) noexcept {
  switch (type) {
    case ColumnType::int64:
      return "l";
    case ColumnType::uint64:
      return "L";
    case ColumnType::uint32:
      return "I";
    case ColumnType::uint8:
      return "C";
    case ColumnType::float64:
      return "g";
    case ColumnType::time:
      return "tsn:UTC";
  }
  return "n";
}

/// What a schema and its children live in.
struct SchemaParts {
  std::string format, name;
  std::vector<ArrowSchema*> children;
};

void release_schema(ArrowSchema* schema) {
  auto* parts = static_cast<SchemaParts*>(schema->private_data);
  for (ArrowSchema* child : parts->children) {
    if (child->release != nullptr) child->release(child);
    delete child;
  }
  delete parts;
  schema->release = nullptr;
}

void fill_schema(ArrowSchema& schema, std::string format, std::string name, std::vector<ArrowSchema*> children) {
  auto* parts = new SchemaParts{std::move(format), std::move(name), std::move(children)};
  schema = {.format = parts->format.c_str(),
            .name = parts->name.c_str(),
            .metadata = nullptr,
            .flags = k_nullable,
            .n_children = static_cast<std::int64_t>(parts->children.size()),
            .children = parts->children.data(),
            .dictionary = nullptr,
            .release = release_schema,
            .private_data = parts};
}

ArrowSchema* schema_of(const Column& column) {
  auto* schema = new ArrowSchema;
  if (column.width == 1) {
    fill_schema(*schema, format_of(column.type), column.name, {});
    return schema;
  }
  auto* item = new ArrowSchema;
  fill_schema(*item, format_of(column.type), "item", {});
  fill_schema(*schema, "+w:" + std::to_string(column.width), column.name, {item});
  return schema;
}

struct ArrayParts {
  std::shared_ptr<const void> owner;
  std::vector<std::uint8_t> validity;
  std::vector<const void*> buffers;
  std::vector<ArrowArray*> children;
};

void release_array(ArrowArray* array) {
  auto* parts = static_cast<ArrayParts*>(array->private_data);
  for (ArrowArray* child : parts->children) {
    if (child->release != nullptr) child->release(child);
    delete child;
  }
  delete parts;
  array->release = nullptr;
}

void fill_array(ArrowArray& array, std::unique_ptr<ArrayParts> owned, std::size_t length, std::size_t nulls) {
  ArrayParts* parts = owned.release();
  array = {.length = static_cast<std::int64_t>(length),
           .null_count = static_cast<std::int64_t>(nulls),
           .offset = 0,
           .n_buffers = static_cast<std::int64_t>(parts->buffers.size()),
           .n_children = static_cast<std::int64_t>(parts->children.size()),
           .buffers = parts->buffers.data(),
           .children = parts->children.data(),
           .dictionary = nullptr,
           .release = release_array,
           .private_data = parts};
}

/// A bit for each value that is there; empty: all are.
template <class Value, class IsMissing>
std::size_t note_missing(const Column& column, std::vector<std::uint8_t>& validity, IsMissing is_missing) {
  const std::size_t count = column.rows * column.width;
  std::size_t missing = 0;
  for (std::size_t at = 0; at < count; ++at) {
    if (!is_missing(column.values<Value>()[at])) continue;
    if (missing++ == 0) validity.assign((count + 7) / 8, 0xff);
    validity[at / 8] = static_cast<std::uint8_t>(validity[at / 8] & ~(1U << at % 8));
  }
  return missing;
}

ArrowArray* array_of(const Column& column) {
  auto parts = std::make_unique<ArrayParts>();
  std::size_t missing = 0;
  if (column.type == ColumnType::float64)
    missing = note_missing<double>(column, parts->validity, [](double value) { return std::isnan(value); });
  if (column.type == ColumnType::int64 || column.type == ColumnType::time)
    missing =
        note_missing<std::int64_t>(column, parts->validity, [](std::int64_t value) { return value == k_missing; });
  parts->owner = column.owner;
  parts->buffers = {parts->validity.empty() ? nullptr : parts->validity.data(), column.data};
  auto array = std::make_unique<ArrowArray>();
  fill_array(*array, std::move(parts), column.rows * column.width, missing);
  if (column.width == 1) return array.release();
  auto lists = std::make_unique<ArrayParts>();
  lists->buffers = {nullptr};
  lists->children = {array.release()};
  auto outer = std::make_unique<ArrowArray>();
  fill_array(*outer, std::move(lists), column.rows, 0);
  return outer.release();
}

struct StreamParts {
  std::shared_ptr<const Table> table;
  bool is_done = false;
  std::string trouble{};
};

StreamParts& parts_of(ArrowStream* stream) {
  return *static_cast<StreamParts*>(stream->private_data);
}

// What a consumer calls may not throw through it.
template <class Work>
int guarded(ArrowStream* stream, Work&& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& thrown) {
    parts_of(stream).trouble = thrown.what();
    return ENOMEM;
  }
}

int get_schema(ArrowStream* stream, ArrowSchema* out) {
  return guarded(stream, [&] {
    std::vector<ArrowSchema*> children;
    for (const Column& column : parts_of(stream).table->columns()) children.push_back(schema_of(column));
    fill_schema(*out, "+s", "", std::move(children));
  });
}

int get_next(ArrowStream* stream, ArrowArray* out) {
  return guarded(stream, [&] {
    StreamParts& parts = parts_of(stream);
    *out = {};
    if (parts.is_done) return;
    auto batch = std::make_unique<ArrayParts>();
    batch->buffers = {nullptr};
    for (const Column& column : parts.table->columns()) batch->children.push_back(array_of(column));
    fill_array(*out, std::move(batch), parts.table->rows(), 0);
    parts.is_done = true;
  });
}

const char* get_last_error(ArrowStream* stream) {
  return parts_of(stream).trouble.c_str();
}

void release_stream(ArrowStream* stream) {
  delete &parts_of(stream);
  stream->release = nullptr;
}

// ---- In ------------------------------------------------------------------------------------------------------------

struct Incoming {
  char code = 0;                 // the format's letter; t: a time
  std::int64_t nanoseconds = 1;  // of a time's unit
  Column column;
  std::vector<std::int64_t> whole{};
  std::vector<std::uint64_t> counts{};
  std::vector<double> reals{};
};

/// False: neither numbers nor times.
bool read_format(std::string_view format, Incoming& in) {
  constexpr std::string_view k_numbers = "cCsSiIlLfg";
  if (format.size() == 1 && k_numbers.find(format[0]) != std::string_view::npos) {
    in.code = format[0];
    return true;
  }
  if (!format.starts_with("ts") || format.size() < 4) return false;
  in.code = 't';
  switch (format[2]) {
    case 's':
      in.nanoseconds = 1'000'000'000;
      return true;
    case 'm':
      in.nanoseconds = 1'000'000;
      return true;
    case 'u':
      in.nanoseconds = 1'000;
      return true;
    case 'n':
      return true;
    default:
      return false;
  }
}

template <class Value, class Kept>
void take(const ArrowArray& array, std::int64_t outer_offset, std::int64_t length, std::vector<Kept>& kept,
          Kept missing) {
  const auto* values = static_cast<const Value*>(array.buffers[1]);
  const auto* validity = static_cast<const std::uint8_t*>(array.buffers[0]);
  const std::int64_t first = array.offset + outer_offset;
  for (std::int64_t at = first; at < first + length; ++at) {
    const bool is_there = validity == nullptr || (validity[at / 8] >> at % 8 & 1) != 0;
    kept.push_back(is_there ? static_cast<Kept>(values[at]) : missing);
  }
}

/// False: a time that nanoseconds since 1970 cannot say.
bool take_column(const ArrowArray& array, std::int64_t offset, std::int64_t length, Incoming& in) {
  constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
  switch (in.code) {
    case 'c':
      take<std::int8_t>(array, offset, length, in.whole, k_missing);
      return true;
    case 's':
      take<std::int16_t>(array, offset, length, in.whole, k_missing);
      return true;
    case 'i':
      take<std::int32_t>(array, offset, length, in.whole, k_missing);
      return true;
    case 'l':
      take<std::int64_t>(array, offset, length, in.whole, k_missing);
      return true;
    case 'C':
      take<std::uint8_t>(array, offset, length, in.counts, std::uint64_t{0});
      return true;
    case 'S':
      take<std::uint16_t>(array, offset, length, in.counts, std::uint64_t{0});
      return true;
    case 'I':
      take<std::uint32_t>(array, offset, length, in.counts, std::uint64_t{0});
      return true;
    case 'L':
      take<std::uint64_t>(array, offset, length, in.counts, std::uint64_t{0});
      return true;
    case 'f':
      take<float>(array, offset, length, in.reals, k_nan);
      return true;
    case 'g':
      take<double>(array, offset, length, in.reals, k_nan);
      return true;
    default:
      break;
  }
  const std::size_t before = in.whole.size();
  take<std::int64_t>(array, offset, length, in.whole, k_missing);
  for (std::size_t at = before; at < in.whole.size(); ++at)
    if (in.whole[at] != k_missing && __builtin_mul_overflow(in.whole[at], in.nanoseconds, &in.whole[at])) return false;
  return true;
}

/// Releases what a producer has given.
template <class Given>
struct Released {
  Given given{};
  Released() = default;
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() {
    if (given.release != nullptr) given.release(&given);
  }
};

std::string trouble_of(ArrowStream& stream) {
  const char* text = stream.get_last_error(&stream);
  return text == nullptr || *text == '\0' ? std::string("the table's producer failed") : std::string(text);
}

}  // namespace

ArrowStream* to_arrow(std::shared_ptr<const Table> table) {
  return new ArrowStream{.get_schema = get_schema,
                         .get_next = get_next,
                         .get_last_error = get_last_error,
                         .release = release_stream,
                         .private_data = new StreamParts{std::move(table)}};
}

std::expected<Table, std::string> from_arrow(ArrowStream& stream) {
  struct Ending {
    ArrowStream& stream;
    ~Ending() {
      if (stream.release != nullptr) stream.release(&stream);
    }
  } ending{stream};
  Released<ArrowSchema> schema;
  if (stream.get_schema(&stream, &schema.given) != 0) return std::unexpected(trouble_of(stream));
  if (std::string_view(schema.given.format) != "+s") return std::unexpected("it is no table: no columns with names");
  std::vector<Incoming> incoming(static_cast<std::size_t>(schema.given.n_children));
  for (std::size_t at = 0; at < incoming.size(); ++at) {
    const ArrowSchema& child = *schema.given.children[at];
    incoming[at].column.name = child.name == nullptr ? "" : child.name;
    if (child.dictionary != nullptr || !read_format(child.format, incoming[at]))
      return std::unexpected("column " + incoming[at].column.name + " is neither of numbers nor of times (Arrow's " +
                             child.format + ")");
  }
  for (;;) {
    Released<ArrowArray> batch;
    if (stream.get_next(&stream, &batch.given) != 0) return std::unexpected(trouble_of(stream));
    if (batch.given.release == nullptr) break;
    if (static_cast<std::size_t>(batch.given.n_children) != incoming.size())
      return std::unexpected("a batch of the table has other columns than its schema");
    for (std::size_t at = 0; at < incoming.size(); ++at)
      if (!take_column(*batch.given.children[at], batch.given.offset, batch.given.length, incoming[at]))
        return std::unexpected("column " + incoming[at].column.name +
                               " has a time that nanoseconds since 1970 cannot say");
  }
  Table table;
  for (Incoming& in : incoming) {
    std::string name = std::move(in.column.name);
    if (in.code == 't') {
      table.add(times_of(std::move(name), std::move(in.whole)));
    } else if (in.code == 'f' || in.code == 'g') {
      table.add(column_of(std::move(name), std::move(in.reals)));
    } else if (in.code >= 'A' && in.code <= 'Z') {
      table.add(column_of(std::move(name), std::move(in.counts)));
    } else {
      table.add(column_of(std::move(name), std::move(in.whole)));
    }
  }
  return table;
}

}  // namespace dojima::python
