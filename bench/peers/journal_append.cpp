// dojima-peer-journal: our side of bench/peers/journal_peers.py. Appends records to a journal in a directory, with a
// JournalThread beside, and prints one JSON line.
//
//   dojima-peer-journal DIRECTORY MESSAGES BYTES [process|power|none] [WARMUP] [SPARES] [SEGMENT_MIB]
//
// seconds: from the first `prepare` until the last record is durable. settled_seconds: until the worker has done all
// that these records leave to it as well (full segments synced, as many spare ones ready as before).

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"

namespace {

using namespace dojima;
using namespace dojima::journal;

struct Options {
  std::string directory;
  std::size_t messages = 0, bytes = 0, warmup = 0;
  Durability durability = Durability::process;
  unsigned spares = 2;
  std::size_t segment_mib = 64;
};

std::size_t number(std::string_view word) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(word.begin(), word.end(), value);
  if (error != std::errc{} || end != word.end()) throw std::runtime_error("expected a number: " + std::string(word));
  return value;
}

Options parse(const std::vector<std::string_view>& words) {
  if (words.size() < 3)
    throw std::runtime_error(
        "usage: dojima-peer-journal DIRECTORY MESSAGES BYTES [process|power|none] [WARMUP] [SPARES] [SEGMENT_MIB]");
  Options options{.directory = std::string(words[0]), .messages = number(words[1]), .bytes = number(words[2])};
  if (options.messages == 0 || options.bytes == 0) throw std::runtime_error("at least one message of one byte");
  if (words.size() > 3) {
    if (words[3] != "process" && words[3] != "power" && words[3] != "none")
      throw std::runtime_error("no such durability: " + std::string(words[3]));
    for (const Durability each : {Durability::none, Durability::process, Durability::power})
      if (name_of(each) == words[3]) options.durability = each;
  }
  if (words.size() > 4) options.warmup = number(words[4]);
  if (words.size() > 5) options.spares = static_cast<unsigned>(number(words[5]));
  if (words.size() > 6) options.segment_mib = number(words[6]);
  return options;
}

void refuse_trouble(const FileJournal& journal) {
  if (const auto trouble = journal.trouble())
    throw std::runtime_error("the disk fails: " + std::string(trouble->expected));
}

/// Appends with the worker beside. The number of times that there was no room yet.
std::size_t append(FileJournal& journal, const std::vector<std::byte>& record, std::size_t count) {
  std::size_t refused = 0;
  for (std::size_t done = 0; done < count; ++done) {
    Room room = journal.prepare(record.size());
    while (room.empty()) {
      if (refused++ % 1024 == 0) refuse_trouble(journal);
      std::this_thread::yield();
      room = journal.prepare(record.size());
    }
    std::memcpy(room.data(), record.data(), record.size());
    journal.commit(record.size());
  }
  while (journal.durable() < journal.last()) std::this_thread::yield();
  return refused;
}

void settle(FileJournal& journal) {
  while (journal.work()) {
  }
  refuse_trouble(journal);
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run(const Options& options) {
  const auto disk = RealDisk::open(options.directory);
  if (!disk) throw std::runtime_error("no directory");
  const auto journal = FileJournal::open(**disk, {.identity = Identity::of("peer"),
                                                  .durability = options.durability,
                                                  .segment_bytes = options.segment_mib << 20U,
                                                  .largest_record = std::max<std::size_t>(options.bytes, 4096),
                                                  .spare_segments = options.spares});
  if (!journal) throw std::runtime_error(journal.error().what);
  std::vector<std::byte> record(options.bytes);
  for (std::size_t at = 0; at < record.size(); ++at) record[at] = static_cast<std::byte>(at * 7 + 1);

  if (options.warmup > 0) {
    {
      const JournalThread thread(**journal);
      append(**journal, record, options.warmup);
    }
    (*journal)->release((*journal)->last());
    settle(**journal);
  }

  double seconds = 0;
  std::size_t refused = 0;
  double processor = processor_seconds();
  const auto begin = std::chrono::steady_clock::now();
  {
    const JournalThread thread(**journal);
    refused = append(**journal, record, options.messages);
    seconds = seconds_since(begin);
  }
  const double at_end = processor_seconds() - processor;
  settle(**journal);
  const double settled = seconds_since(begin);
  processor = processor_seconds() - processor;
  const double count = static_cast<double>(options.messages);
  std::printf(
      "{\"messages\": %zu, \"bytes\": %zu, \"seconds\": %.9f, \"ns_per_message\": %.3f, \"settled_seconds\": %.9f, "
      "\"settled_ns_per_message\": %.3f, \"processor_ns_per_message\": %.3f, "
      "\"settled_processor_ns_per_message\": %.3f, \"refused\": %zu, \"version\": \"Dojima\"}\n",
      options.messages, options.bytes, seconds, 1e9 * seconds / count, settled, 1e9 * settled / count,
      1e9 * at_end / count, 1e9 * processor / count, refused);
}

}  // namespace

int main(int count, char** words) {
  try {
    run(parse({words + 1, words + count}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dojima-peer-journal: %s\n", error.what());
    return 1;
  }
}
