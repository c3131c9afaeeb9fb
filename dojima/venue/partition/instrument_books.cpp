#include "dojima/venue/partition/instrument_books.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "dojima/base/assert.hpp"

namespace dojima::venue {

namespace {

bool concerns(const market::MassCancel& command, const market::Instrument& instrument) noexcept {
  return (command.header.instrument == 0 || command.header.instrument == instrument.id) &&
         (command.segment.is_empty() || command.segment.view() == instrument.segment);
}

}  // namespace

InstrumentBooks::InstrumentBooks(const PartitionConfig& config, book::OrderTable& orders, book::ReportBuffer& reports,
                                 Expiries& expiries)
    : instruments_(config.instruments),
      orders_(orders),
      expiries_(expiries),
      place_of_instrument_(config.instruments.size()) {
  due_.reserve(orders.capacity());
  for (const market::Instrument& instrument : instruments_) {
    if (!place_of_instrument_.insert(instrument.id, static_cast<std::uint32_t>(books_.size())))
      throw std::invalid_argument("partition: instrument ids are above 0 and given once");
    books_.push_back(std::make_unique<book::Book>(instrument, orders, reports,
                                                  book::BookLimits{.levels = config.limits.levels}, config.rules));
  }
}

bool InstrumentBooks::has_segment(std::string_view segment) const noexcept {
  return std::any_of(instruments_.begin(), instruments_.end(),
                     [segment](const market::Instrument& instrument) { return instrument.segment == segment; });
}

bool InstrumentBooks::is_concerned(const market::MassCancel& command) const noexcept {
  return std::any_of(instruments_.begin(), instruments_.end(),
                     [&command](const market::Instrument& instrument) { return concerns(command, instrument); });
}

void InstrumentBooks::apply(const market::Expire& command) {
  if (command.header.instrument == 0 && !command.is_end_of_day) return expire_due(command.header.time);
  for (std::size_t at = 0; at < books_.size(); ++at)
    if (command.header.instrument == 0 || command.header.instrument == instruments_[at].id) books_[at]->apply(command);
}

/// As the books would do it one after the other, without a look at orders whose time is not over.
void InstrumentBooks::expire_due(time::Time now) {
  expiries_.take_due(now, due_);
  const auto place = [this](book::Slot slot) { return *place_of(orders_[slot].instrument); };
  std::ranges::sort(due_, {},
                    [&](book::Slot slot) { return std::tuple{place(slot), orders_[slot].owner, orders_[slot].entry}; });
  for (std::size_t at = 0; at < due_.size(); ++at) {
    book::Book& book = *books_[place(due_[at])];
    book.expire(orders_.id(due_[at]), market::Reason::time_expired);
    const bool is_last = at + 1 == due_.size() || orders_[due_[at + 1]].instrument != orders_[due_[at]].instrument;
    if (is_last) book.settle();
  }
}

void InstrumentBooks::apply(const market::UserCommand& command) {
  for (const book::Slot slot : orders_.of_owner(command.header.user)) {
    if ((orders_.terms(slot).flags & market::k_auto_cancel) == 0) continue;
    book::Book* book = find(orders_[slot].instrument);
    DOJIMA_ASSERT(book != nullptr, "a live order is in a book of its partition", orders_.id(slot).value,
                  orders_[slot].instrument);
    book->expire(orders_.id(slot), market::Reason::session_ended);
  }
  for (const auto& book : books_) book->settle();
}

}  // namespace dojima::venue
