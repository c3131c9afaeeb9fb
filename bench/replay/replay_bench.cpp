// dojima-bench-replay: what it costs to read recorded data and to keep books of it, format by format and stage by
// stage, beside the least it can cost: summing the unpacked bytes where they lie in memory ("read the bytes"), and
// fetching them from the system's page cache by read(2), 256 KiB at a time ("read the file"). Data are generated;
// DOJIMA_DATA adds the recorded days that are there, as they come, packed ("unpack the file", and "file to books" for
// all of it from end to end), DOJIMA_BENCH_FILE one file of your own (what bench/peers/replay_peers.py compares with
// other programs).

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/books/replay_books.hpp"
#include "dojima/recorded/days/generated_day.hpp"
#include "dojima/recorded/files/file_source.hpp"
#include "dojima/recorded/files/packed_file.hpp"
#include "dojima/recorded/files/recorded_file.hpp"
#include "dojima/recorded/formats/compact.hpp"
#include "dojima/recorded/formats/event_csv.hpp"
#include "dojima/recorded/formats/itch_writer.hpp"
#include "dojima/recorded/formats/lobster_writer.hpp"

namespace {

using namespace dojima;
using recorded::Format;
using recorded::RecordedEvent;

/// A data set with everything that the stages need, made before the timing.
struct Data {
  Format format = Format::compact;
  std::string bytes;       // unpacked
  std::string book_bytes;  // LOBSTER's order book
  std::vector<RecordedEvent> events;
  std::vector<recorded::RecordedInstrument> instruments;
  std::string compact;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{nullptr, &std::fclose};  // the unpacked bytes again
  std::string path;  // of the recorded file, as it is packed; none: generated
};

std::unique_ptr<recorded::RecordedReader> reader_of(const Data& data, recorded::ByteSource& source,
                                                    recorded::ByteSource* book) {
  return recorded::make_reader(data.format, source, book, {.symbol = "RICE"});
}

void decode_all(Data& data) {
  recorded::MemorySource source(data.bytes), book(data.book_bytes);
  const auto reader = reader_of(data, source, data.book_bytes.empty() ? nullptr : &book);
  recorded::MemorySink sink;
  recorded::CompactWriter writer(sink);
  for (auto events = reader->next_batch(); !events.empty(); events = reader->next_batch()) {
    data.events.insert(data.events.end(), events.begin(), events.end());
    static_cast<void>(writer.write(events, reader->instruments()));
  }
  static_cast<void>(writer.finish());
  data.instruments = reader->instruments();
  data.compact = sink.text();
  data.file.reset(std::tmpfile());
  for (const std::string* text : {&data.bytes, &data.book_bytes})
    if (!data.file || std::fwrite(text->data(), 1, text->size(), data.file.get()) != text->size())
      throw std::runtime_error("no room for a temporary file");
  std::fflush(data.file.get());
}

/// A generated day in one of the formats that we write.
Data generated(Format format, std::uint64_t seed, std::uint64_t requests) {
  recorded::GeneratedDayConfig config;
  config.flow.seed = seed;
  config.flow.rate = 2000;
  config.flow.clients = 40;
  config.requests = requests;
  recorded::GeneratedDay day(config);
  recorded::MemorySink sink;
  std::unique_ptr<recorded::EventWriter> writer;
  if (format == Format::lobster) writer = std::make_unique<recorded::LobsterWriter>(sink, nullptr, 10);
  if (format == Format::itch50) writer = std::make_unique<recorded::ItchWriter>(sink);
  if (format == Format::csv) writer = std::make_unique<recorded::CsvWriter>(sink);
  if (format == Format::compact) writer = std::make_unique<recorded::CompactWriter>(sink);
  for (auto events = day.next_batch(); !events.empty(); events = day.next_batch())
    static_cast<void>(writer->write(events, day.instruments()));
  static_cast<void>(writer->finish());
  Data data{.format = format, .bytes = sink.text()};
  decode_all(data);
  return data;
}

struct RecordedSet {
  const char* name;
  Format format;
  const char* file;
  const char* book;
};
constexpr RecordedSet k_recorded[] = {
    {"lobster AMZN", Format::lobster, "lobster/AMZN_2012-06-21_34200000_57600000_message_1.csv.gz", nullptr},
    {"binance usdm", Format::binance, "binance/usdm_btcusdt_20240808.gz", nullptr},
    {"bitstamp", Format::bitstamp, "bitstamp/orders_2015-05-01.csv.xz", nullptr},
    {"dbn ESM4", Format::dbn, "databento/orderbooks_mbo_20240508.dbn.zst", nullptr},
    {"fix JSE", Format::fix, "fix/jse_ftse_index_fix50_20111124_part1.fix.gz", nullptr},
};

const std::map<std::string, Format> k_generated = {
    {"lobster", Format::lobster}, {"itch50", Format::itch50}, {"csv", Format::csv}, {"compact", Format::compact}};

std::optional<std::string> own_file() {
  const char* file = std::getenv("DOJIMA_BENCH_FILE");
  return file == nullptr ? std::nullopt : std::optional<std::string>(file);
}

std::optional<std::filesystem::path> recorded(const char* file) {
  const char* folder = std::getenv("DOJIMA_DATA");
  if (folder == nullptr) return std::nullopt;
  const std::filesystem::path path = std::filesystem::path(folder) / file;
  return std::filesystem::exists(path) ? std::optional(path) : std::nullopt;
}

Data from_file(const std::string& file, Format format) {
  auto text = recorded::read_packed(file);
  if (!text) throw std::runtime_error(text.error());
  Data data{.format = format, .bytes = *std::move(text), .path = file};
  decode_all(data);
  return data;
}

/// The data set of a case, kept for the table's other competitors.
const Data& data_of(const harness::BenchCase& bench_case, std::uint64_t requests) {
  static std::map<std::string, std::unique_ptr<Data>> kept;
  const std::string name(bench_case.text("data"));
  auto& data = kept[name + std::to_string(requests)];
  if (data) return *data;
  if (const auto found = k_generated.find(name); found != k_generated.end()) {
    data = std::make_unique<Data>(generated(found->second, bench_case.seed(), requests));
  } else if (name == "own file") {
    auto text = recorded::read_packed(*own_file());
    if (!text) throw std::runtime_error(text.error());
    data = std::make_unique<Data>(Data{.format = recorded::guess_format(as_bytes(*text).first(std::min<std::size_t>(
                                                                            text->size(), recorded::k_guess_bytes)))
                                                     .value_or(Format::compact),
                                       .bytes = std::move(*text),
                                       .path = *own_file()});
    decode_all(*data);
  } else {
    for (const RecordedSet& set : k_recorded)
      if (name == set.name) data = std::make_unique<Data>(from_file(recorded(set.file)->string(), set.format));
  }
  return *data;
}

// ------------------------------------------------------------------------------------------------------------ stages

/// Every byte into a register, by parts that stay in the cache: what reading costs whoever reads.
std::uint64_t sum_of_bytes(std::string_view bytes) {
  std::uint64_t sums[4] = {};
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (int lane = 0; lane < 4; ++lane) sums[lane] += words[lane];
  }
  return sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
}

template <class Work>
std::function<std::unique_ptr<harness::Competitor>(const harness::BenchCase&)> stage(std::uint64_t requests,
                                                                                     Work work) {
  return [requests, work](const harness::BenchCase& bench_case) {
    const Data& data = data_of(bench_case, requests);
    return harness::competitor([&data, work]() mutable {
      const std::uint64_t digest = work(data);
      return harness::Operations{}.add("", data.events.size()).digest(digest);
    });
  };
}

/// The same for what comes from a file alone.
template <class Work>
std::function<std::unique_ptr<harness::Competitor>(const harness::BenchCase&)> of_files(std::uint64_t requests,
                                                                                        Work work) {
  return [requests, work](const harness::BenchCase& bench_case) {
    return data_of(bench_case, requests).path.empty() ? nullptr : stage(requests, work)(bench_case);
  };
}

template <class Use>
void decode(const Data& data, Use use) {
  recorded::MemorySource source(data.bytes), book(data.book_bytes);
  const auto reader = reader_of(data, source, data.book_bytes.empty() ? nullptr : &book);
  for (auto events = reader->next_batch(); !events.empty(); events = reader->next_batch())
    use(events, reader->instruments());
}

std::uint64_t book_digest(const recorded::DepthBooks& books) {
  return books.counts().changes | 1;
}

std::uint64_t run_read(const Data& data) {
  harness::keep(sum_of_bytes(data.bytes));
  harness::keep(sum_of_bytes(data.book_bytes));
  return 0;
}

/// What is in the page cache into one buffer, block by block: reading a file and nothing else.
std::uint64_t run_read_file(const Data& data) {
  constexpr std::size_t k_block = std::size_t{1} << 18;
  static const auto buffer = std::make_unique<char[]>(k_block);
  ::off_t at = 0;
  for (::ssize_t size = 1; size > 0; at += size) size = ::pread(::fileno(data.file.get()), buffer.get(), k_block, at);
  harness::keep(buffer[0]);
  return 0;
}

std::uint64_t run_unpack(const Data& data) {
  static std::vector<std::byte> buffer(std::size_t{1} << 18);
  const auto source = recorded::open_source(data.path);
  if (!source) throw std::runtime_error(source.error());
  if ((*source)->whole()) return 0;  // not packed: mapped
  for (std::size_t size = 1; size > 0; size = (*source)->read(buffer).value_or(0)) harness::keep(buffer[0]);
  return 0;
}

std::uint64_t run_decode(const Data& data) {
  std::uint64_t quantities = 0;
  decode(data, [&](std::span<const RecordedEvent> events, const auto&) {
    quantities += static_cast<std::uint64_t>(events.back().quantity);
  });
  harness::keep(quantities);
  return 0;
}

std::uint64_t run_both(const Data& data) {
  recorded::DepthBooks books;
  decode(data,
         [&](std::span<const RecordedEvent> events, const auto& instruments) { books.apply(events, instruments); });
  return book_digest(books);
}

/// All that a replay does to a file as it comes, but for its time: opened, unpacked, decoded, kept as books.
std::uint64_t run_file_to_books(const Data& data) {
  auto file = recorded::RecordedFile::open(data.path, {.format = data.format, .symbol = "RICE", .has_book = false});
  if (!file) throw std::runtime_error(file.error());
  recorded::RecordedReader& reader = file->reader();
  recorded::DepthBooks books;
  for (auto events = reader.next_batch(); !events.empty(); events = reader.next_batch())
    books.apply(events, reader.instruments());
  return book_digest(books);
}

std::uint64_t run_book(const Data& data) {
  recorded::DepthBooks books;
  books.apply(data.events, data.instruments);
  return book_digest(books);
}

template <recorded::Keeper k_keeper>
std::uint64_t run_orders(const Data& data) {
  const auto books = recorded::make_replay_books({.keeper = k_keeper, .orders = std::size_t{1} << 16});
  books->apply(data.events, data.instruments);
  harness::keep(books->live_orders());
  return 0;
}

/// Levels without orders have no mirror and nothing to match, and the tick must be known.
template <recorded::Keeper k_keeper>
std::function<std::unique_ptr<harness::Competitor>(const harness::BenchCase&)> of_orders(std::uint64_t requests) {
  return [requests](const harness::BenchCase& bench_case) {
    const Data& data = data_of(bench_case, requests);
    const bool has_orders = !data.instruments.empty() && data.instruments.front().tick != 0 &&
                            std::ranges::any_of(data.events, [](const RecordedEvent& event) {
                              return event.kind == recorded::EventKind::add;
                            });
    return has_orders ? stage(requests, run_orders<k_keeper>)(bench_case) : nullptr;
  };
}

harness::BenchTable formats_table(bool is_quick) {
  const std::uint64_t requests = is_quick ? 3000 : 200'000;
  harness::BenchTable table{.name = "formats", .title = "recorded data, read and kept as books of levels"};
  std::vector<evidence::Cell> names{"lobster", "itch50", "csv", "compact"};
  for (const RecordedSet& set : k_recorded)
    if (recorded(set.file)) names.emplace_back(set.name);
  if (own_file()) names.emplace_back("own file");
  table.parameters = {{"data", names}};
  table.competitors = {{"read the bytes", stage(requests, run_read)},
                       {"read the file", stage(requests, run_read_file)},
                       {"decode", stage(requests, run_decode)},
                       {"book", stage(requests, run_book)},
                       {"decode and book", stage(requests, run_both)},
                       {"unpack the file", of_files(requests, run_unpack)},
                       {"file to books", of_files(requests, run_file_to_books)},
                       {"mirror of orders", of_orders<recorded::Keeper::mirror>(requests)},
                       {"orders that match", of_orders<recorded::Keeper::match>(requests)}};
  table.baseline = "decode and book";
  table.floor = "read the bytes";
  table.operation = "event";
  table.competitor = "stage";
  for (const char* data : {"lobster", "itch50"})
    table.targets.push_back({"decode and book", "read the bytes", 3, {{"data", evidence::Cell(data)}}});
  table.notes = {
      "\"read the bytes\" sums them in memory; \"read the file\" copies them out of the page cache, 256 KiB at a time",
      "unpacked bytes lie in memory; \"book\", \"mirror of orders\" and \"orders that match\" have the events decoded "
      "before",
      "\"file to books\" does all of it from the packed file on, as a replay does"};
  table.is_quick = [](const harness::BenchCase& bench_case) {
    return k_generated.contains(std::string(bench_case.text("data")));
  };
  return table;
}

/// Levels in plain maps: how it is done first.
class PlainBooks {
 public:
  void apply(const RecordedEvent& event) {
    if (event.kind == recorded::EventKind::clear) {
      bids_.clear();
      asks_.clear();
      ++changes_;
    }
    if (event.kind != recorded::EventKind::level) return;
    ++changes_;
    auto& side = event.side == market::Side::buy ? bids_ : asks_;
    if (event.quantity == 0) {
      side.erase(event.price);
    } else {
      side[event.price] = event.quantity;
    }
  }
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

 private:
  std::map<std::int64_t, std::int64_t> bids_, asks_;
  std::uint64_t changes_ = 0;
};

/// Level changes as a feed of changes has them: from a generated day.
const Data& levels(std::uint64_t seed, std::uint64_t requests) {
  static std::map<std::uint64_t, std::unique_ptr<Data>> kept;
  auto& data = kept[requests];
  if (data) return *data;
  recorded::GeneratedDayConfig config;
  config.flow.seed = seed;
  config.flow.depth = 200;
  config.flow.clients = 100;
  config.requests = requests;
  recorded::GeneratedDay day(config);
  recorded::DepthBooks books;
  data = std::make_unique<Data>();
  RecordedEvent event;
  while (day.next(event) == recorded::Next::event) {
    books.apply(event, day.instruments());
    event.kind = recorded::EventKind::level;
    event.quantity = books.of(event.instrument).on(event.side).quantity_at(event.price);
    data->events.push_back(event);
  }
  data->instruments = day.instruments();
  recorded::MemorySink sink;
  recorded::CompactWriter writer(sink);
  static_cast<void>(writer.write(data->events, data->instruments));
  static_cast<void>(writer.finish());
  data->compact = sink.text();
  return *data;
}

const Data& depth_data(const harness::BenchCase& bench_case, std::uint64_t requests) {
  return bench_case.text("data") == "generated levels" ? levels(bench_case.seed(), requests)
                                                       : data_of(bench_case, requests);
}

/// Over the blocks of the compact file, in place.
template <class Use>
void each_block(const Data& data, bool is_checked, Use use) {
  const auto view = recorded::CompactView::of(as_bytes(data.compact));
  for (std::size_t block = 0; block < view->blocks(); ++block)
    if (!is_checked || view->is_whole(block)) use(view->events(block), view->instruments());
}

harness::BenchTable depth_table(bool is_quick) {
  const std::uint64_t requests = is_quick ? 3000 : 200'000;
  const auto run = [requests](auto work) {
    return [requests, work](const harness::BenchCase& bench_case) {
      const Data& data = depth_data(bench_case, requests);
      return harness::competitor(
          [&data, work]() mutable { return harness::Operations{}.add("", data.events.size()).digest(work(data)); });
    };
  };
  harness::BenchTable table{.name = "depth", .title = "books of levels out of the compact file in memory"};
  std::vector<evidence::Cell> names{"generated levels"};
  if (recorded(k_recorded[1].file)) names.emplace_back(k_recorded[1].name);
  if (own_file()) names.emplace_back("own file");
  table.parameters = {{"data", names}};
  table.competitors = {
      {"read the records", run([](const Data& data) {
         harness::keep(sum_of_bytes(data.compact));
         return std::uint64_t{0};
       })},
      {"books of levels", run([](const Data& data) {
         recorded::DepthBooks books;
         each_block(data, false, [&](auto events, const auto& instruments) { books.apply(events, instruments); });
         return book_digest(books);
       })},
      {"the same, checksums verified", run([](const Data& data) {
         recorded::DepthBooks books;
         each_block(data, true, [&](auto events, const auto& instruments) { books.apply(events, instruments); });
         return book_digest(books);
       })},
      {"std::map", run([](const Data& data) {
         PlainBooks books;
         each_block(data, false, [&](auto events, const auto&) {
           for (const RecordedEvent& event : events) books.apply(event);
         });
         return books.changes() | 1;
       })}};
  table.baseline = "books of levels";
  table.floor = "read the records";
  table.operation = "event";
  table.is_quick = [](const harness::BenchCase& bench_case) { return bench_case.text("data") == "generated levels"; };
  return table;
}

}  // namespace

int main(int count, char** words) {
  const bool is_quick =
      std::any_of(words, words + count, [](const char* word) { return std::string_view(word) == "--quick"; });
  return harness::run_benchmarks({.name = "replay",
                                  .tables = {formats_table(is_quick), depth_table(is_quick)},
                                  .build = evidence::build_identity()},
                                 count, words);
}
