// dojima-bench-mit: what reading and writing messages of MIT203 and MIT303 costs, beside copying their bytes and
// summing them up, and what keeping a book from the feed costs beside keeping it from the book's own reports.

#include "mit_tables.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/mit/bit_9_4.hpp"
#include "dojima/mit/fields.hpp"
#include "dojima/mit/lse_11_8_5.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace dojima::bench {

std::unique_ptr<harness::Competitor> copied_and_summed(std::vector<std::byte> message) {
  std::vector<std::byte> room(message.size());
  return harness::competitor([message = std::move(message), room = std::move(room)]() mutable {
    for (std::size_t count = 0; count < k_messages; ++count) {
      std::memcpy(room.data(), message.data(), message.size());
      harness::keep(room);
      std::uint32_t sum = 0;
      for (const std::byte byte : room) sum += std::to_integer<std::uint32_t>(byte);
      harness::keep(sum);
    }
    return harness::Operations{}.add("", k_messages);
  });
}

namespace {

using mit::Dialect;

/// One neutral value of each kind, with every field set that all dialects carry.
struct Samples {
  Samples() {
    order.header.instrument = 133215;
    order.terms = {.limit = {12'345'000'000},
                   .stop = {12'340'000'000},
                   .quantity = {1000},
                   .displayed = {100},
                   .expiry = time::from_nanoseconds(1'784'548'800'000'000'000),
                   .side = market::Side::buy,
                   .type = market::OrderType::stop_limit,
                   .time_in_force = market::TimeInForce::good_till_date,
                   .capacity = market::Capacity::dealing,
                   .flags = market::k_auto_cancel | market::k_named};
    order.labels = {.client_order_id = Text<20>::cut("ORD-0000000000000001"),
                    .account = Text<10>::cut("ACCOUNT-01"),
                    .trader = Text<11>::cut("TRADER-0001"),
                    .clearing = 1,
                    .mifid = 4,
                    .roles = 45,
                    .client = 1001,
                    .decision_maker = 1002,
                    .executing_trader = 1003};
    replace.header.instrument = 133215;
    replace.order = {23057063777141547u};
    replace.limit = {12'350'000'000};
    replace.stop = {12'340'000'000};
    replace.quantity = {900};
    replace.displayed = {90};
    replace.expiry = order.terms.expiry;
    replace.side = market::Side::buy;
    replace.client_order_id = Text<20>::cut("ORD-0000000000000002");
    replace.original_client_order_id = order.labels.client_order_id;
    replace.account = order.labels.account;
    cancel.header.instrument = 133215;
    cancel.order = replace.order;
    cancel.client_order_id = Text<20>::cut("ORD-0000000000000003");
    cancel.original_client_order_id = order.labels.client_order_id;
    cancel.side = market::Side::buy;
    mass_cancel.header.instrument = 133215;
    mass_cancel.client_order_id = Text<20>::cut("ORD-0000000000000004");
    report.sequence = {43};
    report.time = time::from_nanoseconds(1'784'548'801'999'999'000);
    report.order = report.public_order = replace.order;
    report.execution = 61512470073704470u;
    report.trade = 1338498875692u;
    report.price = {12'340'000'000};
    report.quantity = {400};
    report.leaves = {600};
    report.displayed = {60};
    report.client_order_id = order.labels.client_order_id;
    report.counterparty = Text<11>::cut("CCP01");
    report.partition = 1;
    report.instrument = 133215;
    report.kind = market::OwnerReportKind::traded;
    report.status = market::OrderStatus::partially_filled;
    report.side = market::Side::buy;
    report.capacity = market::Capacity::dealing;
    report.liquidity = 'A';
    report.last_market = 21;
  }

  market::NewOrder order;
  market::Replace replace;
  market::Cancel cancel;
  market::MassCancel mass_cancel;
  market::OwnerReport report;
};

/// The bytes of a message of that type from its neutral value; none for a type that no neutral value stands for.
std::optional<Result<std::size_t>> encode_neutral(const Dialect& dialect, const Samples& samples, char type,
                                                  Room room) {
  const auto report = [&](market::OwnerReportKind kind) {
    market::OwnerReport of_kind = samples.report;
    of_kind.kind = kind;
    return dialect.encode_report(of_kind, 2000, room);
  };
  switch (type) {
    case 'D':
      return dialect.encode_new_order(samples.order, room);
    case 'G':
      return dialect.encode_replace(samples.replace, room);
    case 'F':
      return dialect.encode_cancel(samples.cancel, room);
    case 'q':
      return dialect.encode_mass_cancel(samples.mass_cancel, room);
    case '8':
      return report(market::OwnerReportKind::traded);
    case '9':
      return report(market::OwnerReportKind::request_rejected);
    case 'r':
      return report(market::OwnerReportKind::mass_cancelled);
    case 'j':
      return report(market::OwnerReportKind::business_rejected);
    default:
      return std::nullopt;
  }
}

constexpr std::string_view k_requests = "DGFq";

/// A value in every field, by its table.
template <class Message>
void fill(mit::Fields<Message>& fields) {
  [&]<std::size_t... Row>(std::index_sequence<Row...>) {
    [[maybe_unused]] const auto set = [](auto& value, const FieldInfo& field) {
      using Value = std::remove_reference_t<decltype(value)>;
      if constexpr (requires { value.chars; }) {
        value = Value::cut(field.rule == FieldRule::base62 ? "0LygHa16AHYF" : "SAMPLE");
      } else if constexpr (std::is_arithmetic_v<Value>) {
        value = static_cast<Value>(field.rule == FieldRule::zero ? 0
                                   : !field.meanings.empty()     ? field.meanings.back().value
                                                                 : 43);
      }
    };
    (set(mit::detail::value_at<Row>(fields.values), mit::k_rows<Message>[Row]), ...);
  }(mit::detail::Numbers<Message>{});
}

/// What is measured of one type: k_messages messages each.
struct TypeCodec {
  const Dialect* dialect;
  char type;
  std::vector<std::byte> (*sample)(const Dialect&);
  void (*decode)(const Dialect&, Bytes);
  void (*decode_validated)(const Dialect&, Bytes);
  void (*encode)(const Dialect&, Bytes, Room);
  void (*encode_validated)(const Dialect&, Bytes, Room);
};

template <class Message>
struct MeasuredType {
  static std::vector<std::byte> sample(const Dialect& dialect) {
    std::vector<std::byte> bytes(dialect.longest);
    if (const auto size = encode_neutral(dialect, Samples(), Message::k_type, Room(bytes))) {
      bytes.resize(size->value());
      return bytes;
    }
    mit::Fields<Message> fields;
    fill(fields);
    bytes.resize(mit::encode_fields(dialect, fields, Room(bytes)).value());
    return bytes;
  }
  static void decode(const Dialect&, Bytes bytes) {
    for (std::size_t count = 0; count < k_messages; ++count) {
      harness::keep(bytes);
      harness::keep(mit::read_fields<Message>(bytes));
    }
  }
  static void decode_validated(const Dialect& dialect, Bytes bytes) {
    for (std::size_t count = 0; count < k_messages; ++count) {
      harness::keep(bytes);
      const Result<mit::Fields<Message>> fields = mit::decode_fields<Message>(dialect, bytes);
      DOJIMA_ASSERT(fields.has_value(), "the sample is valid");
      harness::keep(fields);
    }
  }
  static void encode(const Dialect&, Bytes bytes, Room room) {
    mit::Fields<Message> fields = mit::read_fields<Message>(bytes);
    for (std::size_t count = 0; count < k_messages; ++count) {
      harness::keep(fields);
      mit::write_fields(fields, room);
      harness::keep(room);
    }
  }
  static void encode_validated(const Dialect& dialect, Bytes bytes, Room room) {
    mit::Fields<Message> fields = mit::read_fields<Message>(bytes);
    for (std::size_t count = 0; count < k_messages; ++count) {
      harness::keep(fields);
      harness::keep(mit::encode_fields(dialect, fields, room));
    }
  }
};

template <class... Messages>
std::vector<TypeCodec> types_of(MessageList<Messages...>, const Dialect& dialect) {
  return {{&dialect, Messages::k_type, MeasuredType<Messages>::sample, MeasuredType<Messages>::decode,
           MeasuredType<Messages>::decode_validated, MeasuredType<Messages>::encode,
           MeasuredType<Messages>::encode_validated}...};
}

const TypeCodec& type_of(const std::vector<TypeCodec>& types, const harness::BenchCase& of) {
  return *std::ranges::find(types, of.text("type").front(), &TypeCodec::type);
}

/// A competitor of one function over bytes and room.
template <class Run>
harness::BenchCompetitor operation(const char* name, const std::vector<TypeCodec>& types, Run run) {
  return {name, [&types, run](const harness::BenchCase& of) {
            const TypeCodec& type = type_of(types, of);
            std::vector<std::byte> bytes = type.sample(*type.dialect);
            return harness::competitor(
                [&type, run, bytes = std::move(bytes), room = std::vector<std::byte>(type.dialect->longest)]() mutable {
                  run(type, Bytes(bytes), Room(room));
                  return harness::Operations{}.add("", k_messages);
                });
          }};
}

/// The same between bytes and the neutral value that the session hands over; types that have none take no part.
template <class Run>
harness::BenchCompetitor neutral(const char* name, const std::vector<TypeCodec>& types, Run run) {
  harness::BenchCompetitor made = operation(name, types, run);
  return {name,
          [&types, make = std::move(made.make)](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            std::vector<std::byte> room(256);
            const TypeCodec& type = type_of(types, of);
            if (!encode_neutral(*type.dialect, Samples(), type.type, Room(room))) return nullptr;
            return make(of);
          }};
}

void decode_neutral(const TypeCodec& type, Bytes bytes, bool is_validated) {
  const Dialect& dialect = *type.dialect;
  mit::Inbound request;
  mit::Outbound reply;
  mit::Reject refusal;
  const bool is_request = k_requests.find(type.type) != std::string_view::npos;
  for (std::size_t count = 0; count < k_messages; ++count) {
    harness::keep(bytes);
    if (is_validated) {
      const bool is_read = is_request ? dialect.decode_request(bytes, request, refusal).has_value()
                                      : dialect.decode_reply(bytes, reply).has_value();
      DOJIMA_ASSERT(is_read, "the sample is valid");
    } else if (is_request) {
      dialect.read_request(bytes, request);
    } else {
      dialect.read_reply(bytes, reply);
    }
    harness::keep(request);
    harness::keep(reply);
  }
}

harness::BenchTable dialect_table(std::string name, const std::vector<TypeCodec>& types) {
  harness::BenchTable table{.name = std::move(name), .title = "one message of MIT203 between its bytes and its values"};
  std::vector<evidence::Cell> letters;
  for (const TypeCodec& type : types) letters.emplace_back(std::string(1, type.type));
  table.parameters = {{"dialect", {types.front().dialect->name}}, {"type", std::move(letters)}};
  table.competitors = {
      operation("decode", types, [](const TypeCodec& type, Bytes bytes, Room) { type.decode(*type.dialect, bytes); }),
      operation("decode, validated", types,
                [](const TypeCodec& type, Bytes bytes, Room) { type.decode_validated(*type.dialect, bytes); }),
      operation("encode", types,
                [](const TypeCodec& type, Bytes bytes, Room room) { type.encode(*type.dialect, bytes, room); }),
      operation(
          "encode, validated", types,
          [](const TypeCodec& type, Bytes bytes, Room room) { type.encode_validated(*type.dialect, bytes, room); }),
      neutral("decode to neutral", types,
              [](const TypeCodec& type, Bytes bytes, Room) { decode_neutral(type, bytes, false); }),
      neutral("decode to neutral, validated", types,
              [](const TypeCodec& type, Bytes bytes, Room) { decode_neutral(type, bytes, true); }),
      neutral("encode from neutral, validated", types,
              [samples = Samples()](const TypeCodec& type, Bytes, Room room) {
                for (std::size_t count = 0; count < k_messages; ++count) {
                  harness::keep(samples);
                  harness::keep(encode_neutral(*type.dialect, samples, type.type, room));
                }
              }),
      {"copy and sum", [&types](const harness::BenchCase& of) {
         const TypeCodec& type = type_of(types, of);
         return copied_and_summed(type.sample(*type.dialect));
       }}};
  for (const char* free : {"decode", "encode", "decode to neutral"})
    table.targets.push_back({.competitor = free, .against = "copy and sum", .limit = 2.5});
  for (const char* checked :
       {"decode, validated", "encode, validated", "decode to neutral, validated", "encode from neutral, validated"})
    table.targets.push_back({.competitor = checked, .against = "copy and sum", .limit = 5.0});
  table.floor = "copy and sum";
  table.floor_ratio = "ratio_to_floor";
  table.operation = "message";
  table.competitor = "operation";
  table.notes = {"neutral: the command or report that the session hands over; the others: the fields of the wire"};
  table.is_quick = [](const harness::BenchCase& of) {
    return std::string_view("D8S").find(of.text("type")) != std::string_view::npos;
  };
  return table;
}

}  // namespace

std::vector<harness::BenchTable> mit_messages() {
  static const std::vector<TypeCodec> lse = types_of(mit::lse_21_2::Messages{}, mit::lse_21_2::k_dialect);
  static const std::vector<TypeCodec> bit = types_of(mit::bit_9_4::Messages{}, mit::bit_9_4::k_dialect);
  static const std::vector<TypeCodec> old = types_of(mit::lse_11_8_5::Messages{}, mit::lse_11_8_5::k_dialect);
  return {dialect_table("lse-21.2", lse), dialect_table("bit-9.4", bit), dialect_table("lse-11.8.5", old)};
}

}  // namespace dojima::bench

int main(int count, char** words) {
  using namespace dojima;
  std::vector<harness::BenchTable> tables = bench::mit_messages();
  tables.push_back(bench::mitch_messages());
  tables.push_back(bench::mitch_books());
  return harness::run_benchmarks({.name = "mit", .tables = std::move(tables), .build = evidence::build_identity()},
                                 count, words);
}
