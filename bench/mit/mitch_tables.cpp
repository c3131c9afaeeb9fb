// The tables of MIT303: messages, and the book builder on a generated feed.

#include "mit_tables.hpp"

#include <algorithm>
#include <utility>

#include "dojima/book/book.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/book_publisher.hpp"

namespace dojima::bench {
namespace {

using namespace mitch;

/// Gives every field a value that is not its default.
template <class Message>
Message sample() {
  Message message;
  const auto fill = [&message](const auto& row) {
    if constexpr (requires { row.field; }) {
      auto& member = message.*row.member;
      const FieldInfo info = row.field.info();
      if constexpr (requires { member.units; }) {
        member.units = 12'345'000'000;
      } else if constexpr (requires { member.chars; }) {
        member = std::remove_reference_t<decltype(member)>::cut("SAMPLE");
      } else if (info.meanings.empty() || info.type == Wire::bits) {
        member = static_cast<std::remove_reference_t<decltype(member)>>(0x2b);
      } else {
        member = static_cast<std::remove_reference_t<decltype(member)>>(info.meanings.back().value);
      }
    }
  };
  k_table<Message>.apply([&fill](const auto&... row) { (fill(row), ...); });
  return message;
}

/// Calls `use.template operator()<Message>()` for the type of that name.
template <class Use, class... Messages>
std::unique_ptr<harness::Competitor> with_type(MessageList<Messages...>, std::string_view name, Use use) {
  std::unique_ptr<harness::Competitor> made;
  static_cast<void>(((name == Messages::k_name && (made = use.template operator()<Messages>(), true)) || ...));
  return made;
}

template <class Message>
std::vector<std::byte> sample_bytes() {
  std::vector<std::byte> bytes(Message::k_size);
  DOJIMA_ASSERT(encode(sample<Message>(), bytes).has_value(), "the sample can be written");
  return bytes;
}

template <class Use>
harness::BenchCompetitor of_type(const char* name, Use use) {
  return {name, [use](const harness::BenchCase& of) { return with_type(ApplicationMessages{}, of.text("type"), use); }};
}

}  // namespace

harness::BenchTable mitch_messages() {
  harness::BenchTable table{.name = "mitch", .title = "one message of MIT303 between its bytes and a record"};
  std::vector<evidence::Cell> names;
  for (const MessageLayout& layout : k_application_layouts) names.emplace_back(layout.name);
  table.parameters = {{"dialect", {"MIT303-11.9"}}, {"type", names}};
  table.competitors = {
      of_type("decode, validated",
              []<class Message>() {
                return harness::competitor([bytes = sample_bytes<Message>()] {
                  for (std::size_t count = 0; count < k_messages; ++count) {
                    harness::keep(bytes);
                    harness::keep(decode<Message>(bytes));
                  }
                  return harness::Operations{}.add("", k_messages);
                });
              }),
      of_type("decode",
              []<class Message>() {
                return harness::competitor([bytes = sample_bytes<Message>()] {
                  for (std::size_t count = 0; count < k_messages; ++count) {
                    harness::keep(bytes);
                    harness::keep(read<Message>(bytes));
                  }
                  return harness::Operations{}.add("", k_messages);
                });
              }),
      of_type("encode",
              []<class Message>() {
                return harness::competitor([message = sample<Message>(), room = sample_bytes<Message>()]() mutable {
                  for (std::size_t count = 0; count < k_messages; ++count) {
                    harness::keep(message);
                    write(message, Room(room));
                    harness::keep(room);
                  }
                  return harness::Operations{}.add("", k_messages);
                });
              }),
      of_type("encode, validated",
              []<class Message>() {
                return harness::competitor([message = sample<Message>(), room = sample_bytes<Message>()]() mutable {
                  for (std::size_t count = 0; count < k_messages; ++count) {
                    harness::keep(message);
                    harness::keep(encode(message, Room(room)));
                    harness::keep(room);
                  }
                  return harness::Operations{}.add("", k_messages);
                });
              }),
      of_type("copy and sum", []<class Message>() { return copied_and_summed(sample_bytes<Message>()); })};
  table.floor = "copy and sum";
  table.floor_ratio = "ratio_to_floor";
  table.targets = {{"decode", "copy and sum", 2.5},
                   {"encode", "copy and sum", 2.5},
                   {"decode, validated", "copy and sum", 5.0},
                   {"encode, validated", "copy and sum", 5.0}};
  table.operation = "message";
  table.competitor = "operation";
  return table;
}

// ------------------------------------------------------------------------------------------------------------- books

namespace {

constexpr std::size_t k_orders = 4'096;
constexpr std::size_t k_commands = 20'000;
constexpr std::uint32_t k_instrument = 7;

/// What a book says to a generated flow of plain orders, and the messages of it.
struct Flow {
  explicit Flow(std::uint64_t seed);
  market::Instrument instrument{.id = k_instrument,
                                .symbol = "BENCH",
                                .ticks = market::TickTable::uniform({10}, {10}, {100'000}).value(),
                                .maximum_quantity = {1'000'000},
                                .reference = {50'000}};
  std::vector<market::BookReport> reports;
  std::vector<std::vector<std::byte>> units;
  std::size_t messages = 0;
};

class Reports final : public book::ReportBuffer {
 public:
  explicit Reports(std::vector<market::BookReport>& into) : ReportBuffer(64), into_(into) {}

 private:
  void drain(std::span<const market::BookReport> more, time::Time) override {
    into_.insert(into_.end(), more.begin(), more.end());
  }
  std::vector<market::BookReport>& into_;
};

class Units final : public FeedSink {
 public:
  explicit Units(Flow& flow) : flow_(flow) {}
  void on_unit(Bytes unit) override {
    flow_.messages += std::to_integer<std::size_t>(unit[2]);
    flow_.units.emplace_back(unit.begin(), unit.end());
  }

 private:
  Flow& flow_;
};

Flow::Flow(std::uint64_t seed) {
  measure::Random random(seed);
  const auto below = [&random](std::int64_t limit) {
    return static_cast<std::int64_t>(random.below(static_cast<std::size_t>(limit)));
  };
  Reports said(reports);
  book::OrderTable orders({.capacity = k_orders, .owners = 4});
  book::Book book(instrument, orders, said, {.levels = 1'024});
  std::vector<std::pair<market::OrderId, market::Side>> known;
  for (std::size_t step = 0; step < k_commands; ++step) {
    said.begin({step + 1}, {});
    if (known.size() > 64 && below(100) < 45) {
      const std::size_t at = static_cast<std::size_t>(below(static_cast<std::int64_t>(known.size())));
      market::Cancel cancel;
      cancel.header.instrument = k_instrument;
      cancel.order = known[at].first;
      cancel.side = known[at].second;
      known[at] = known.back();
      known.pop_back();
      book.apply(cancel);
    } else {
      market::NewOrder order;
      order.header.instrument = k_instrument;
      order.terms.side = below(2) == 0 ? market::Side::buy : market::Side::sell;
      const std::int64_t away = below(40) - 4;
      order.terms.limit = {50'000 + (order.terms.side == market::Side::buy ? -10 : 10) * away};
      order.terms.quantity = order.terms.displayed = {1 + below(100)};
      order.terms.type = market::OrderType::limit;
      book.apply(order);
      said.finish();
      if (reports.back().kind == market::BookReportKind::added)
        known.emplace_back(reports.back().order, order.terms.side);
    }
    said.finish();
  }
  Units sink(*this);
  FeedWriter feed(sink, {});
  BookPublisher publisher(feed, {.orders = k_orders});
  for (const market::BookReport& report : reports)
    DOJIMA_ASSERT(publisher.publish(report, {}).has_value(), "the feed carries the flow");
  feed.flush();
}

std::uint64_t digest_of(std::uint64_t digest, std::int64_t price, std::uint64_t quantity) {
  digest = (digest ^ static_cast<std::uint64_t>(price)) * 1099511628211u;
  return (digest ^ quantity) * 1099511628211u;
}

class Building final : public harness::Competitor {
 public:
  explicit Building(std::uint64_t seed) : flow_(seed) {}
  void prepare() override {
    books_ = std::make_unique<BookBuilder>(
        BookBuilderLimits{.instruments = 1, .orders = k_orders, .levels = 1'024, .quote_levels = 1});
  }
  harness::Operations run() override {
    for (const std::vector<std::byte>& bytes : flow_.units) {
      const Result<Unit> unit = read_unit(bytes);
      for (const Bytes message : *unit) harness::keep(books_->apply(message));
    }
    std::uint64_t digest = 1469598103934665603u;
    for (const market::Side side : {market::Side::buy, market::Side::sell})
      books_->find(k_instrument)->each_order(side, [&digest](const DisplayedOrder& order) {
        digest = digest_of(digest, order.price.units, order.quantity);
      });
    return harness::Operations{}.add("", flow_.messages).digest(digest);
  }

 private:
  Flow flow_;
  std::unique_ptr<BookBuilder> books_;
};

/// The same book kept from the reports that the messages were made of.
class Mirroring final : public harness::Competitor {
 public:
  explicit Mirroring(std::uint64_t seed) : flow_(seed) {}
  void prepare() override {
    book_.reset();
    orders_ =
        std::make_unique<book::OrderTable>(book::OrderTableOptions{.capacity = k_orders, .ids = book::Ids::foreign});
    book_ = std::make_unique<book::Book>(flow_.instrument, *orders_, silent_, book::BookLimits{.levels = 1'024});
  }
  harness::Operations run() override {
    for (const market::BookReport& report : flow_.reports) harness::keep(book_->mirror(report));
    std::uint64_t digest = 1469598103934665603u;
    for (const market::Side side : {market::Side::buy, market::Side::sell})
      book_->each_resting(side, [&digest](const book::RestingOrder& order) {
        digest = digest_of(digest, order.price.units, static_cast<std::uint64_t>(order.displayed.lots));
      });
    return harness::Operations{}.add("", flow_.messages).digest(digest);
  }

 private:
  Flow flow_;
  std::vector<market::BookReport> collected_;
  Reports silent_{collected_};
  std::unique_ptr<book::OrderTable> orders_;
  std::unique_ptr<book::Book> book_;
};

}  // namespace

harness::BenchTable mitch_books() {
  harness::BenchTable table{.name = "books", .title = "a book kept from the feed, and from the book's own reports"};
  table.competitors = {
      {"book builder", [](const harness::BenchCase& of) { return std::make_unique<Building>(of.seed()); }},
      {"mirror", [](const harness::BenchCase& of) { return std::make_unique<Mirroring>(of.seed()); }}};
  table.baseline = "mirror";
  table.operation = "message";
  table.notes = {"both per message of the feed; mirror() is handed records, the builder bytes of units"};
  return table;
}

}  // namespace dojima::bench
