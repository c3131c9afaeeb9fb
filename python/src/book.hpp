#pragma once

// The order book that Python has: one book of one instrument, single instructions and rows of them, and the reports of
// the last call. What is called for each row is in a source of its own, which is optimised as the rooms are.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "dojima/book/book.hpp"

namespace dojima::python {

class Numbers;

enum class Action : std::uint8_t { submit = 0, cancel = 1, replace = 2 };

struct BookSettings {
  std::int64_t tick, lowest, highest;
  std::size_t orders, levels, owners;
};

/// Rows of instructions, which have been looked at: what has no sense is not in them.
struct Instructions {
  const Numbers &actions, &sides, &prices, &quantities, &orders, &owners;
};

class PythonBook {
 public:
  /// Throws std::invalid_argument for prices that make no table, std::bad_alloc.
  explicit PythonBook(const BookSettings& settings);

  /// One call at a time, whoever makes it: arrays run without the interpreter's lock.
  class Use {
   public:
    explicit Use(PythonBook& book) : book_(book) {
      if (book.is_used_) throw std::runtime_error("another thread is using this book");
      book.is_used_ = true;
    }
    ~Use() { book_.is_used_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    PythonBook& book_;
  };

  /// The next instructions belong to a call: the reports of the one before are gone. `terms`: of its new orders, but
  /// for side, limit, quantity and owner.
  void begin(const market::OrderTerms& terms = {});
  // An order's number, or 0: it was refused.
  std::uint64_t submit(market::Side side, std::int64_t price, std::int64_t quantity, std::uint16_t owner);
  std::uint64_t cancel(std::uint64_t id);
  std::uint64_t replace(std::uint64_t id, std::int64_t price, std::int64_t quantity);
  /// Row by row; `ids`: what each came to, as many as there are rows.
  void apply(const Instructions& rows, std::span<std::uint64_t> ids);

  /// Of the last call.
  [[nodiscard]] std::span<const market::BookReport> reports() { return reports_.all(); }
  [[nodiscard]] std::uint64_t row_of(const market::BookReport& report) const noexcept {
    return report.sequence.value - first_;
  }
  [[nodiscard]] const book::Book& book() const noexcept { return book_; }
  [[nodiscard]] std::size_t live() const noexcept { return orders_.size(); }
  [[nodiscard]] std::size_t owners() const noexcept { return owners_; }

 private:
  /// A call's reports: where the book wrote them, and before those in a list what had no room there.
  class Reports final : public book::ReportBuffer {
   public:
    Reports() : ReportBuffer(k_room) {}
    void begin_call() {
      taken();
      list_.clear();
    }
    /// The number of the command's first report among the call's.
    std::size_t begin_command(market::Sequence command) {
      begin(command, {});
      return list_.size() + pending().size();
    }
    /// Null: there are no more.
    [[nodiscard]] const market::BookReport* at(std::size_t number) const noexcept {
      if (number < list_.size()) [[unlikely]]
        return &list_[number];
      return number - list_.size() < pending().size() ? &pending()[number - list_.size()] : nullptr;
    }
    [[nodiscard]] std::span<const market::BookReport> all() {
      if (list_.empty()) return pending();
      finish();
      return list_;
    }

   private:
    static constexpr std::size_t k_room = 4096;
    void drain(std::span<const market::BookReport> reports, time::Time) override {
      list_.insert(list_.end(), reports.begin(), reports.end());
    }
    std::vector<market::BookReport> list_;
  };

  /// The first report on it.
  template <class Command>
  const market::BookReport* send(Command& command, std::uint16_t owner);
  /// An order that is named soon has time to come from memory. Any number is fine.
  void prefetch(std::uint64_t id) const noexcept {
    orders_.slots().prefetch(book::Slot{static_cast<std::uint32_t>(id)});
  }

  std::size_t owners_;
  market::Instrument instrument_;
  book::OrderTable orders_;
  Reports reports_;
  book::Book book_;
  market::NewOrder entering_;  // what is the same for all of a call is set once
  std::uint64_t first_ = 1, next_ = 0;
  bool is_used_ = false;
};

}  // namespace dojima::python
