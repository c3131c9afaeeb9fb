#pragma once

// The flow of dojima-bench-venue as a partition has journaled it, and the same with the ids of the orders that its
// requests mean, as a bare book wants them.

#include "bench/venue/venue_flow.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/journal/memory_journal.hpp"
#include "dojima/venue/partition/expected_commands.hpp"

namespace dojima::bench_venue {

class RecordedFlow {
 public:
  explicit RecordedFlow(std::size_t count) {
    journal::MemoryJournal nothing{{.keep = journal::Keep::none, .capacity = 1}};
    venue::Partition partition(settings_of(1 << 16).config, nothing);
    Flow flow;
    time::Time now = k_start;
    venue::Cursor cursor;
    for (std::size_t done = 0; done < count; ++done) {
      flow.next([&](market::CommandHeader& header) {
        name(header);
        if (!partition.submit(header, now += std::chrono::microseconds{1}))
          throw std::runtime_error("the journal is full");
        keep(header, plain_);
      });
      for (auto batch = partition.reports().read(cursor, partition.durable()); !batch.reports.empty();
           batch = partition.reports().read(cursor, partition.durable()))
        for (const market::OwnerReport& report : batch.reports)
          if (report.kind == market::OwnerReportKind::accepted)
            ids_[std::string(report.client_order_id.view())] = report.order;
    }
    plain_.close();
    named_.close();
    digest_ = partition.digest();
    trades_ = trades_of(partition);
  }

  [[nodiscard]] std::size_t size() const noexcept { return plain_.places.size(); }
  /// As it was journaled: orders by client order id.
  [[nodiscard]] Bytes record(std::size_t at) const noexcept { return plain_.record(at); }
  /// With the order's id.
  [[nodiscard]] const market::CommandHeader& named(std::size_t at) const noexcept { return *named_.headers[at]; }
  using Headers = std::span<const market::CommandHeader* const>;
  /// From one on, at most so many.
  [[nodiscard]] Headers headers(std::size_t at, std::size_t most) const noexcept { return plain_.some(at, most); }
  [[nodiscard]] Headers named(std::size_t at, std::size_t most) const noexcept { return named_.some(at, most); }
  /// What a partition comes to, and how many trades.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }
  [[nodiscard]] std::uint64_t trades() const noexcept { return trades_; }

  [[nodiscard]] static std::uint64_t trades_of(const venue::Partition& partition) noexcept {
    return (partition.next_trade() & ((std::uint64_t{1} << 48) - 1)) - 1;
  }

 private:
  struct Records {
    struct Place {
      std::size_t at = 0;
      std::size_t size = 0;
    };
    [[nodiscard]] Bytes record(std::size_t at) const noexcept {
      return std::as_bytes(std::span(words)).subspan(places[at].at, places[at].size);
    }
    [[nodiscard]] Headers some(std::size_t at, std::size_t most) const noexcept {
      return Headers(headers).subspan(at, std::min(most, headers.size() - at));
    }
    /// No more are added.
    void close() {
      for (const Place& place : places)
        headers.push_back(static_cast<const market::CommandHeader*>(
            static_cast<const void*>(&words[place.at / sizeof(std::uint64_t)])));
    }
    std::vector<std::uint64_t> words;
    std::vector<Place> places;
    std::vector<const market::CommandHeader*> headers;
  };

  static void keep(const market::CommandHeader& header, Records& records) {
    const std::size_t size = market::size_of(header.type), at = records.words.size();
    records.places.push_back({at * sizeof(std::uint64_t), size});
    records.words.resize(at + size / sizeof(std::uint64_t));
    std::memcpy(&records.words[at], &header, size);
  }
  void name(const market::CommandHeader& header) {
    // The partition stamps what it is given in the same way: numbers from 1, a microsecond apart.
    keep(header, named_);
    void* command = &named_.words[named_.places.back().at / sizeof(std::uint64_t)];
    auto& copied = *static_cast<market::CommandHeader*>(command);
    copied.sequence.value = named_.places.size();
    copied.time = k_start + std::chrono::microseconds{named_.places.size()};
    const auto find = [this](const Text<20>& id) {
      const auto known = ids_.find(id.view());
      return known != ids_.end() ? known->second : market::OrderId{};
    };
    if (header.type == market::CommandType::cancel) {
      auto& cancel = reinterpret_cast<market::Cancel&>(copied);
      cancel.order = find(cancel.original_client_order_id);
    } else if (header.type == market::CommandType::replace) {
      auto& replace = reinterpret_cast<market::Replace&>(copied);
      replace.order = find(replace.original_client_order_id);
    }
  }

  Records plain_, named_;
  std::map<std::string, market::OrderId, std::less<>> ids_;
  std::uint64_t digest_ = 0;
  std::uint64_t trades_ = 0;
};

/// The books of the flow's instruments, with nobody around them.
class BareBooks {
 public:
  BareBooks() : orders_({.capacity = 1 << 16, .owners = k_users}) {
    const venue::PartitionConfig config = settings_of(1 << 16).config;
    instruments_ = config.instruments;
    for (const market::Instrument& instrument : instruments_)
      books_.push_back(std::make_unique<book::Book>(instrument, orders_, reports_,
                                                    book::BookLimits{.levels = config.limits.levels}, config.rules));
  }

  /// As Partition::prefetch: the orders that these commands are about, then what rests beside them.
  void prefetch(RecordedFlow::Headers next) const noexcept {
    for (const market::CommandHeader* header : next) books_[0]->prefetch(order_of(*header));
    for (const market::CommandHeader* header : next) books_[0]->prefetch_neighbours(order_of(*header));
  }

  void apply(const market::CommandHeader& header) {
    reports_.begin(header.sequence, header.time);
    book::Book& book = *books_[header.instrument - 1];
    switch (header.type) {
      case market::CommandType::new_order:
        book.apply(reinterpret_cast<const market::NewOrder&>(header));
        break;
      case market::CommandType::replace:
        book.apply(reinterpret_cast<const market::Replace&>(header));
        break;
      default:
        book.apply(reinterpret_cast<const market::Cancel&>(header));
    }
    reports_.finish();
  }
  [[nodiscard]] std::uint64_t trades() const noexcept { return reports_.trades; }

 private:
  [[nodiscard]] static market::OrderId order_of(const market::CommandHeader& header) noexcept {
    return venue::ExpectedIds(header).order;
  }

  struct Reports final : book::ReportBuffer {
    Reports() : ReportBuffer(256) {}
    void drain(std::span<const market::BookReport> reports, time::Time) override {
      for (const market::BookReport& report : reports) trades += report.kind == market::BookReportKind::traded ? 1 : 0;
    }
    std::uint64_t trades = 0;
  };

  std::vector<market::Instrument> instruments_;
  book::OrderTable orders_;
  Reports reports_;
  std::vector<std::unique_ptr<book::Book>> books_;
};

}  // namespace dojima::bench_venue
