// dojima-bench-mit: what reading and writing messages of MIT203 and MIT303 costs, beside copying their bytes and
// summing them up, and what keeping a book from the feed costs beside keeping it from the book's own reports.

#include "mit_tables.hpp"

#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "dojima/lab/build_identity.hpp"
#include "dojima/mit/describe.hpp"

namespace dojima::bench {

std::unique_ptr<lab::Competitor> copied_and_summed(std::vector<std::byte> message) {
  std::vector<std::byte> room(message.size());
  return lab::competitor([message = std::move(message), room = std::move(room)]() mutable {
    for (std::size_t count = 0; count < k_messages; ++count) {
      std::memcpy(room.data(), message.data(), message.size());
      lab::keep(room);
      std::uint32_t sum = 0;
      for (const std::byte byte : room) sum += std::to_integer<std::uint32_t>(byte);
      lab::keep(sum);
    }
    return lab::Operations{}.add("", k_messages);
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

using Encode = std::function<Result<std::size_t>(Room)>;

/// How the message of a type is written from its sample.
template <class Use>
decltype(auto) with_encoder(const Dialect& dialect, std::string_view message, Use use) {
  const auto samples = std::make_shared<const Samples>();
  const auto report = [&dialect, samples](market::OwnerReportKind kind) {
    market::OwnerReport of_kind = samples->report;
    of_kind.kind = kind;
    return [&dialect, of_kind](Room room) { return dialect.encode_report(of_kind, 2000, room); };
  };
  if (message == "D NewOrder")
    return use([&dialect, samples](Room room) { return dialect.encode_new_order(samples->order, room); });
  if (message == "G Replace")
    return use([&dialect, samples](Room room) { return dialect.encode_replace(samples->replace, room); });
  if (message == "F Cancel")
    return use([&dialect, samples](Room room) { return dialect.encode_cancel(samples->cancel, room); });
  if (message == "q MassCancel")
    return use([&dialect, samples](Room room) { return dialect.encode_mass_cancel(samples->mass_cancel, room); });
  if (message == "9 CancelReject") return use(report(market::OwnerReportKind::request_rejected));
  if (message == "r MassCancelReport") return use(report(market::OwnerReportKind::mass_cancelled));
  if (message == "j BusinessReject") return use(report(market::OwnerReportKind::business_rejected));
  return use(report(market::OwnerReportKind::traded));
}

const Dialect& dialect_of(const lab::BenchCase& of) {
  return *mit::find_dialect(of.text("dialect"));
}

std::vector<std::byte> sample_of(const lab::BenchCase& of) {
  const Dialect& dialect = dialect_of(of);
  return with_encoder(dialect, of.text("message"), [&dialect](const auto& encode) {
    std::vector<std::byte> bytes(dialect.longest);
    bytes.resize(encode(Room(bytes)).value());
    return bytes;
  });
}

std::unique_ptr<lab::Competitor> encoding(const lab::BenchCase& of) {
  const Dialect& dialect = dialect_of(of);
  return with_encoder(dialect, of.text("message"), [&dialect](auto encode) {
    return lab::competitor([encode, room = std::vector<std::byte>(dialect.longest)]() mutable {
      for (std::size_t count = 0; count < k_messages; ++count) {
        lab::keep(encode);
        lab::keep(encode(Room(room)));
      }
      return lab::Operations{}.add("", k_messages);
    });
  });
}

std::unique_ptr<lab::Competitor> decoding(const lab::BenchCase& of) {
  const Dialect& dialect = dialect_of(of);
  const std::vector<std::byte> bytes = sample_of(of);
  if (std::string_view("DGFq").find(of.text("message").front()) != std::string_view::npos)
    return lab::competitor([&dialect, bytes] {
      mit::Inbound request;
      mit::Reject refusal;
      for (std::size_t count = 0; count < k_messages; ++count) {
        lab::keep(bytes);
        const bool is_read = dialect.decode_request(bytes, request, refusal).has_value();
        DOJIMA_ASSERT(is_read, "the sample is valid");
        lab::keep(request);
      }
      return lab::Operations{}.add("", k_messages);
    });
  return lab::competitor([&dialect, bytes] {
    mit::Outbound reply;
    for (std::size_t count = 0; count < k_messages; ++count) {
      lab::keep(bytes);
      const bool is_read = dialect.decode_reply(bytes, reply).has_value();
      DOJIMA_ASSERT(is_read, "the sample is valid");
      lab::keep(reply);
    }
    return lab::Operations{}.add("", k_messages);
  });
}

lab::BenchTable mit_messages() {
  lab::BenchTable table{.name = "mit", .title = "one message of MIT203 between its bytes and a neutral value"};
  table.parameters = {{"dialect", {"LSE-21.2", "BIT-9.4", "LSE-11.8.5"}},
                      {"message",
                       {"D NewOrder", "G Replace", "F Cancel", "q MassCancel", "8 ExecutionReport", "9 CancelReject",
                        "r MassCancelReport", "j BusinessReject"}}};
  table.competitors = {{"decode and validate", decoding},
                       {"encode", encoding},
                       {"copy and sum", [](const lab::BenchCase& of) { return copied_and_summed(sample_of(of)); }}};
  table.baseline = table.floor = "copy and sum";
  table.targets = {{"decode and validate", "copy and sum", 5.0}, {"encode", "copy and sum", 5.0}};
  table.operation = "message";
  table.competitor = "operation";
  table.notes = {"a dialect always validates what it reads and what it writes"};
  table.is_quick = [](const lab::BenchCase& of) { return of.text("dialect") != "LSE-11.8.5"; };
  return table;
}

}  // namespace
}  // namespace dojima::bench

int main(int count, char** words) {
  using namespace dojima;
  return lab::run_benchmarks({.name = "mit",
                              .tables = {bench::mit_messages(), bench::mitch_messages(), bench::mitch_books()},
                              .build = lab::build_identity()},
                             count, words);
}
