// dojima-bench-fix: FIX messages read, validated and written, beside QuickFIX and beside the least that it can cost.

#include "quickfix_peer.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/base/splitmix.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/fix/codec/scan.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/harness/bench_harness.hpp"

namespace {

using namespace dojima;
using bench_fix::PlainReport;
using bench_fix::QuickFixCodec;

constexpr std::string_view k_order = "NewOrderSingle";
constexpr std::string_view k_report = "ExecutionReport";
constexpr std::size_t k_message_max = 512;

// ----------------------------------------------------------------------------------------------------------- messages

std::vector<PlainReport> make_fields(std::size_t count, std::uint64_t seed) {
  static const char* const k_symbols[] = {"RICE", "MSFT", "VOD", "7203.T", "BARC", "AAPL", "ENI", "TSCO"};
  SplitMix64 random(seed);
  std::vector<PlainReport> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    PlainReport& f = all[i];
    f.sender = "CLIENT" + std::to_string(random.below(20));
    f.target = "DOJIMA";
    f.cl_ord_id = "ORD" + std::to_string(1'000'000 + random.below(999'000'000));
    f.order_id = "X" + std::to_string(10'000'000 + random.below(90'000'000));
    f.exec_id = "E" + std::to_string(random.below(1'000'000'000));
    f.symbol = k_symbols[random.below(8)];
    f.account = "ACC" + std::to_string(random.below(1000));
    f.currency = random.below(2) == 0 ? "JPY" : "USD";
    f.security_id = "JP" + std::to_string(1'000'000'000 + random.below(9'000'000'000));
    f.last_mkt = "XOSE";
    f.side = random.below(2) == 0 ? '1' : '2';
    f.sequence = static_cast<std::int64_t>(1 + random.below(1'000'000));
    f.order_qty = static_cast<std::int64_t>(100 * (1 + random.below(1000)));
    f.last_qty = static_cast<std::int64_t>(1 + random.below(static_cast<std::uint64_t>(f.order_qty)));
    f.cum_qty = f.last_qty;
    f.leaves_qty = f.order_qty - f.cum_qty;
    f.price = static_cast<double>(1 + random.below(1'000'000)) / 100;
    f.last_px = f.avg_px = f.price;
    f.hour = static_cast<int>(random.below(24));
    f.minute = static_cast<int>(random.below(60));
    f.second = static_cast<int>(random.below(60));
    f.millisecond = static_cast<int>(random.below(1000));
  }
  return all;
}

market::Price price_of(double value) {
  return {static_cast<std::int64_t>(value * 100 + 0.5) * (market::k_price_scale / 100)};
}

/// The same fields as types of ours, so that a benchmark converts nothing.
struct Typed {
  const PlainReport* plain;
  time::Time time;
  market::Price price, last_px, avg_px;
};

std::vector<Typed> typed(const std::vector<PlainReport>& fields) {
  using namespace std::chrono;
  std::vector<Typed> all;
  for (const PlainReport& f : fields) {
    const sys_days day =
        year{f.year} / month{static_cast<unsigned>(f.month)} / std::chrono::day{static_cast<unsigned>(f.day)};
    all.push_back({&f, day + hours{f.hour} + minutes{f.minute} + seconds{f.second} + milliseconds{f.millisecond},
                   price_of(f.price), price_of(f.last_px), price_of(f.avg_px)});
  }
  return all;
}

/// Headers by sender: what a session has rendered once.
class Templates {
 public:
  explicit Templates(const std::vector<PlainReport>& fields) {
    for (const PlainReport& f : fields) {
      if (known_.size() < 20) known_.try_emplace(f.sender, f.sender, f.target);
    }
    for (const PlainReport& f : fields) of_.push_back(&known_.at(f.sender));
  }
  const fix::HeaderTemplate& of(std::size_t message) const { return *of_[message]; }

 private:
  std::map<std::string, fix::HeaderTemplate> known_;
  std::vector<const fix::HeaderTemplate*> of_;
};

/// What a case of encoding writes. The typed fields point at the plain ones.
struct Inputs {
  explicit Inputs(std::vector<PlainReport> fields) : plain(std::move(fields)), all(typed(plain)), templates(plain) {}
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;
  std::vector<PlainReport> plain;
  std::vector<Typed> all;
  Templates templates;
};

Result<Bytes> write_order(const Typed& order, const fix::HeaderTemplate* rendered, Room room) {
  const PlainReport& f = *order.plain;
  fix::Writer writer(room, {.type = fix::type::k_new_order_single,
                            .sender = f.sender,
                            .target = f.target,
                            .sequence = {static_cast<std::uint64_t>(f.sequence)},
                            .sending_time = order.time,
                            .rendered = rendered});
  namespace tag = fix::tag;
  using fix::field;
  writer.fields(field<tag::k_account>(f.account), field<tag::k_cl_ord_id>(f.cl_ord_id),
                field<tag::k_currency>(f.currency), field<tag::k_security_id_source>('4'),
                field<tag::k_order_qty>(f.order_qty), field<tag::k_ord_type>(f.ord_type),
                field<tag::k_price>(order.price), field<tag::k_security_id>(f.security_id), field<tag::k_side>(f.side),
                field<tag::k_symbol>(f.symbol), field<tag::k_time_in_force>(f.time_in_force),
                field<tag::k_transact_time>(order.time));
  return writer.finish();
}

Result<Bytes> write_report(const Typed& report, const fix::HeaderTemplate* rendered, Room room) {
  const PlainReport& f = *report.plain;
  fix::Writer writer(room, {.type = fix::type::k_execution_report,
                            .sender = f.sender,
                            .target = f.target,
                            .sequence = {static_cast<std::uint64_t>(f.sequence)},
                            .sending_time = report.time,
                            .rendered = rendered});
  namespace tag = fix::tag;
  constexpr fix::Tag k_last_mkt = 30;
  using fix::field;
  writer.fields(
      field<tag::k_account>(f.account), field<tag::k_avg_px>(report.avg_px), field<tag::k_cl_ord_id>(f.cl_ord_id),
      field<tag::k_cum_qty>(f.cum_qty), field<tag::k_currency>(f.currency), field<tag::k_exec_id>(f.exec_id),
      field<tag::k_security_id_source>('4'), field<k_last_mkt>(f.last_mkt), field<tag::k_last_px>(report.last_px),
      field<tag::k_last_qty>(f.last_qty), field<tag::k_order_id>(f.order_id), field<tag::k_order_qty>(f.order_qty),
      field<tag::k_ord_status>(f.ord_status), field<tag::k_ord_type>(f.ord_type), field<tag::k_price>(report.price),
      field<tag::k_security_id>(f.security_id), field<tag::k_side>(f.side), field<tag::k_symbol>(f.symbol),
      field<tag::k_time_in_force>(f.time_in_force), field<tag::k_transact_time>(report.time),
      field<tag::k_exec_type>(f.exec_type), field<tag::k_leaves_qty>(f.leaves_qty));
  return writer.finish();
}

/// All messages of a case, one behind the other, and as texts for QuickFIX.
struct Messages {
  explicit Messages(const harness::BenchCase& of) : is_order(of.text("message") == k_order) {
    const auto count = static_cast<std::size_t>(of.integer("messages"));
    const std::vector<PlainReport> fields = make_fields(count, of.seed());
    std::byte room[k_message_max];
    for (const Typed& one : typed(fields)) {
      const auto written = is_order ? write_order(one, nullptr, room) : write_report(one, nullptr, room);
      texts.emplace_back(as_text(*written));
      stream += texts.back();
    }
    for (std::size_t at = 0, i = 0; i < count; at += texts[i++].size())
      frames.push_back(as_bytes(stream).subspan(at, texts[i].size()));
  }
  bool is_order;
  std::string stream;
  std::vector<std::string> texts;
  std::vector<Bytes> frames;
};

/// Runs over all messages; reports bytes per second beside what the harness measures.
template <class Each>
harness::Operations over_all(std::size_t count, std::size_t bytes, Each each) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t digest = 1469598103934665603u;
  for (std::size_t i = 0; i < count; ++i) digest = (digest ^ each(i)) * 1099511628211u;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return harness::Operations{}
      .add("", count)
      .figure("bytes_per_second", static_cast<double>(bytes) / took.count())
      .digest(digest);
}

// ------------------------------------------------------------------------------------------------------------- decode

std::uint64_t mix(std::uint64_t digest, std::string_view text) {
  return digest * 31 + text.size() * 7 + static_cast<unsigned char>(text[0]);
}

std::uint64_t seconds_of(time::Time time) {
  return static_cast<std::uint64_t>(time::nanoseconds_of(time) / 1'000'000'000 % 60);
}

std::uint64_t cents_of(market::Price price) {
  return static_cast<std::uint64_t>(price.units / (market::k_price_scale / 100));
}

/// Eight typed reads of an order, as the peer makes them.
std::uint64_t read_order(const fix::MessageView& view) {
  namespace tag = fix::tag;
  std::uint64_t digest = mix(mix(0, *view.text(tag::k_cl_ord_id)), *view.text(tag::k_symbol));
  digest = digest * 31 + static_cast<std::uint64_t>(*view.character(tag::k_side));
  digest = digest * 31 + static_cast<std::uint64_t>(view.quantity(tag::k_order_qty)->lots);
  digest = digest * 31 + static_cast<std::uint64_t>(*view.character(tag::k_ord_type));
  digest = digest * 31 + cents_of(*view.price(tag::k_price));
  digest = digest * 31 + view.msg_seq_num()->value;
  return digest * 31 + seconds_of(*view.time(tag::k_transact_time));
}

std::uint64_t read_report(const fix::MessageView& view) {
  namespace tag = fix::tag;
  std::uint64_t digest = mix(mix(0, *view.text(tag::k_cl_ord_id)), *view.text(tag::k_symbol));
  digest = digest * 31 + static_cast<std::uint64_t>(*view.character(tag::k_exec_type));
  digest = digest * 31 + static_cast<std::uint64_t>(view.quantity(tag::k_last_qty)->lots);
  digest = digest * 31 + static_cast<std::uint64_t>(view.quantity(tag::k_leaves_qty)->lots);
  digest = digest * 31 + cents_of(*view.price(tag::k_last_px));
  digest = digest * 31 + view.msg_seq_num()->value;
  return digest * 31 + seconds_of(*view.time(tag::k_transact_time));
}

harness::BenchCompetitor decoding(const char* name, fix::Isa isa) {
  return {name, [isa](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            const fix::Kernels* kernels = fix::kernels_of(isa);
            if (kernels == nullptr) return nullptr;
            auto messages = std::make_shared<const Messages>(of);
            auto view = std::make_shared<fix::MessageView>();
            return harness::competitor([=] {
              const fix::ReadRules rules{.kernels = kernels};
              return over_all(messages->frames.size(), messages->stream.size(), [&](std::size_t i) {
                const fix::FrameSearch found = fix::find_frame(messages->frames[i], 4096, *kernels);
                if (found.state != fix::FrameState::whole || !view->read(found.frame, rules)) return std::uint64_t{0};
                return messages->is_order ? read_order(*view) : read_report(*view);
              });
            });
          }};
}

harness::BenchCompetitor quickfix_decoding() {
  return {"QuickFIX", [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            auto messages = std::make_shared<const Messages>(of);
            auto codec = std::make_shared<const QuickFixCodec>("");
            return harness::competitor([=] {
              return over_all(messages->texts.size(), messages->stream.size(), [&](std::size_t i) {
                return messages->is_order ? codec->parse_order(messages->texts[i])
                                          : codec->parse_report(messages->texts[i]);
              });
            });
          }};
}

/// What every decoder has to do at least; nothing to compare.
template <class Each>
harness::BenchCompetitor floor_of(const char* name, Each each) {
  return {name, [each](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            auto messages = std::make_shared<const Messages>(of);
            return harness::competitor([=] {
              return over_all(messages->frames.size(), messages->stream.size(),
                              [&](std::size_t i) { return each(messages->frames[i]); })
                  .digest(0);
            });
          }};
}

std::uint64_t only_sum(Bytes message) {
  return fix::kernels().sum(as_text(message).data(), message.size());
}

std::uint64_t only_index(Bytes message) {
  constexpr std::size_t k_room = 64, k_trailer = 7;
  fix::FieldEntry entries[k_room + fix::k_scan_slack];
  const std::size_t count = fix::kernels().index(as_text(message).data(), message.size() - k_trailer, entries, k_room);
  harness::keep(entries);
  return count;
}

const std::vector<harness::BenchParameter> k_messages{{"message", {std::string(k_order), std::string(k_report)}},
                                                      {"messages", {1024, 16'384}}};

bool is_small(const harness::BenchCase& of) {
  return of.integer("messages") == 1024;
}

harness::BenchTable decode_table() {
  harness::BenchTable table{.name = "decode",
                            .title = "frame, checksum, index and eight typed reads of different messages"};
  table.parameters = k_messages;
  table.competitors = {decoding("scalar", fix::Isa::scalar),
                       decoding("SSE", fix::Isa::sse),
                       decoding("AVX2", fix::Isa::avx2),
                       decoding("AVX-512", fix::Isa::avx512),
                       quickfix_decoding(),
                       floor_of("index only", only_index),
                       floor_of("checksum only", only_sum)};
  table.baseline = "QuickFIX";
  table.floor = "checksum only";
  table.operation = "message";
  table.competitor = "implementation";
  const std::vector<std::pair<std::string, evidence::Cell>> order{{"message", std::string(k_order)}};
  const std::vector<std::pair<std::string, evidence::Cell>> report{{"message", std::string(k_report)}};
  for (const char* fast : {"AVX-512", "AVX2"}) {
    table.targets.push_back({fast, "QuickFIX", 1.0 / 9, order});
    table.targets.push_back({fast, "QuickFIX", 1.0 / 11, report});
  }
  table.targets.push_back({"scalar", "QuickFIX", 1.0 / 7});
  table.targets.push_back({"AVX2", "scalar", 0.9});
  table.targets.push_back({"AVX-512", "scalar", 0.75});
  table.notes = {
      "QuickFIX: the packaged 1.15.1, a fresh Message without dictionary, length and checksum verified, getField"};
  table.is_quick = is_small;
  return table;
}

// ----------------------------------------------------------------------------------------------------------- validate

harness::BenchTable validate_table() {
  harness::BenchTable table{.name = "validate",
                            .title = "frame, checksum, index and full validation by the FIX 4.4 dictionary"};
  table.parameters = k_messages;
  const auto ours = [](const char* name, fix::Isa isa) -> harness::BenchCompetitor {
    return {name, [isa](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
              const fix::Kernels* kernels = fix::kernels_of(isa);
              if (kernels == nullptr) return nullptr;
              auto messages = std::make_shared<const Messages>(of);
              auto view = std::make_shared<fix::MessageView>();
              const fix::Dictionary& dictionary = fix::fix_4_4();
              return harness::competitor([=, &dictionary] {
                const fix::ReadRules rules{.kernels = kernels};
                return over_all(messages->frames.size(), messages->stream.size(), [&](std::size_t i) {
                  const fix::FrameSearch found = fix::find_frame(messages->frames[i], 4096, *kernels);
                  return std::uint64_t{found.state == fix::FrameState::whole && view->read(found.frame, rules) &&
                                       fix::check_message(*view, dictionary)};
                });
              });
            }};
  };
  table.competitors = {ours("scalar", fix::Isa::scalar),
                       ours("AVX2", fix::Isa::avx2),
                       ours("AVX-512", fix::Isa::avx512),
                       {"QuickFIX", [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
                          auto messages = std::make_shared<const Messages>(of);
                          auto codec = std::make_shared<const QuickFixCodec>(fix::to_xml(fix::fix_4_4().models()[0]));
                          return harness::competitor([=] {
                            return over_all(messages->texts.size(), messages->stream.size(), [&](std::size_t i) {
                              return std::uint64_t{codec->parse_and_validate(messages->texts[i])};
                            });
                          });
                        }}};
  table.baseline = "QuickFIX";
  table.operation = "message";
  table.competitor = "implementation";
  table.targets = {{"AVX-512", "QuickFIX", 1.0 / 8}, {"AVX2", "QuickFIX", 1.0 / 8}};
  table.notes = {
      "QuickFIX: a fresh Message with the dictionary, then DataDictionary::validate; both read the same facts"};
  table.is_quick = is_small;
  return table;
}

// ------------------------------------------------------------------------------------------------------------- encode

harness::BenchTable encode_table() {
  harness::BenchTable table{.name = "encode", .title = "a message from typed fields to text with length and checksum"};
  table.parameters = k_messages;
  const auto ours = [](const char* name, bool is_rendered) -> harness::BenchCompetitor {
    return {name, [is_rendered](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
              auto inputs = std::make_shared<const Inputs>(
                  make_fields(static_cast<std::size_t>(of.integer("messages")), of.seed()));
              const bool is_order = of.text("message") == k_order;
              const std::size_t bytes = Messages(of).stream.size();
              return harness::competitor([=] {
                std::byte room[k_message_max];
                const std::vector<Typed>& all = inputs->all;
                return over_all(all.size(), bytes, [&](std::size_t i) {
                  const fix::HeaderTemplate* rendered = is_rendered ? &inputs->templates.of(i) : nullptr;
                  const auto written =
                      is_order ? write_order(all[i], rendered, room) : write_report(all[i], rendered, room);
                  harness::keep(room);
                  return std::uint64_t{written ? written->size() : 0};
                });
              });
            }};
  };
  table.competitors = {
      ours("header template", true),
      ours("field by field", false),
      {"QuickFIX", [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
         auto fields = std::make_shared<const std::vector<PlainReport>>(
             make_fields(static_cast<std::size_t>(of.integer("messages")), of.seed()));
         auto codec = std::make_shared<const QuickFixCodec>("");
         const bool is_order = of.text("message") == k_order;
         const std::size_t bytes = Messages(of).stream.size();
         return harness::competitor([=] {
           return over_all(fields->size(), bytes, [&](std::size_t i) {
             return std::uint64_t{is_order ? codec->build_order((*fields)[i]) : codec->build_report((*fields)[i])};
           });
         });
       }}};
  table.baseline = "QuickFIX";
  table.operation = "message";
  table.competitor = "implementation";
  table.targets = {{"header template", "QuickFIX", 1.0 / 40, {{"message", std::string(k_report)}}}};
  table.is_quick = is_small;
  return table;
}

// ----------------------------------------------------------------------------------------------------------- tokenise

harness::BenchTable tokenise_table() {
  harness::BenchTable table{.name = "tokenise",
                            .title = "one loop over the bytes of a market data message (35=X) of about 190 bytes"};
  table.parameters = {{"work", {"tokenise", "checksum"}}};
  for (const fix::Isa isa : {fix::Isa::scalar, fix::Isa::sse, fix::Isa::avx2, fix::Isa::avx512}) {
    const fix::Kernels* kernels = fix::kernels_of(isa);
    if (kernels == nullptr) continue;
    table.competitors.push_back(
        {kernels->name, [kernels](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
           const bool is_sum = of.text("work") == "checksum";
           SplitMix64 random(of.seed());
           auto texts = std::make_shared<std::vector<std::string>>();
           std::size_t bytes = 0;
           std::byte room[k_message_max];
           for (int i = 0; i < 1024; ++i) {
             fix::Writer writer(room, {.type = fix::msg_type("X"),
                                       .sender = "FEED",
                                       .target = "CLIENT" + std::to_string(random.below(10)),
                                       .sequence = {1 + random.below(1'000'000)},
                                       .sending_time = time::from_nanoseconds(1'784'548'800'000'000'000)});
             writer.field(262, "REQ" + std::to_string(random.below(1000))).field(268, 2);
             for (const char side : {'0', '1'}) {
               writer.field(279, '1').field(269, side).field(278, std::to_string(random.below(100'000)));
               writer.field(55, "RICE")
                   .field(270, market::Price{static_cast<std::int64_t>(random.below(1'000'000)) * 1'000'000});
               writer.field(271, static_cast<int>(random.below(10'000)));
             }
             texts->emplace_back(as_text(*writer.finish()));
             bytes += texts->back().size();
           }
           return harness::competitor([=] {
             return over_all(texts->size(), bytes, [&](std::size_t i) -> std::uint64_t {
               const std::string& text = (*texts)[i];
               constexpr std::size_t k_room = 64, k_trailer = 7;
               if (is_sum) return kernels->sum(text.data(), text.size());
               fix::FieldEntry entries[k_room + fix::k_scan_slack];
               const std::size_t count = kernels->index(text.data(), text.size() - k_trailer, entries, k_room);
               harness::keep(entries);
               return count;
             });
           });
         }});
  }
  table.baseline = "scalar";
  table.operation = "message";
  table.competitor = "implementation";
  table.notes = {
      "tokenise: tag, place and size of every field; after the plot of \"Accelerated FIX Processing via AVX2\" (2013)"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks({.name = "fix",
                                  .tables = {decode_table(), validate_table(), encode_table(), tokenise_table()},
                                  .build = evidence::build_identity(),
                                  .notes = "16,384 messages (3 to 4 MB) fit no branch predictor"},
                                 count, words);
}
