#include "tests/fix_cases/pair_ledger.hpp"

#include <algorithm>
#include <string_view>

#include "dojima/fix/message.hpp"

namespace dojima::pairs {
namespace {

std::string text_of(Numbered entry) {
  return "order " + std::to_string(entry.order) + " under number " + std::to_string(entry.number);
}

/// Whether the store has this order under this number.
bool has(const fix::MessageStore& store, Numbered entry) {
  const auto message = store.find_from({entry.number});
  if (!message || message->sequence.value != entry.number || message->type != fix::type::k_new_order_single)
    return false;
  fix::MessageView view;
  return view.read(message->bytes) && view.find(fix::tag::k_cl_ord_id) == std::to_string(entry.order);
}

}  // namespace

std::optional<std::uint64_t> Newest::find(std::uint64_t number) const {
  for (std::uint64_t at = count_; at > 0 && count_ - at < k_kept; --at) {
    const Numbered& entry = entries_[(at - 1) % k_kept];
    if (entry.number == number) return entry.order;
    if (entry.number < number) break;
  }
  return std::nullopt;
}

std::uint64_t Ledger::intend(std::uint64_t number) {
  out_.push({.order = out_.size() + 1, .number = number});
  is_in_doubt_ = true;
  return out_.size();
}

void Ledger::withdraw() {
  out_.pop();
  is_in_doubt_ = false;
}

std::string Ledger::reconcile(const fix::MessageStore& store, std::uint64_t seen, bool keeps_all) {
  const std::uint64_t next = store.next_outgoing().value;
  if (next <= seen)
    return "the store would use number " + std::to_string(next) + " again; the peer has seen " + std::to_string(seen);
  if (is_in_doubt_ && !has(store, out_.back())) out_.pop();
  is_in_doubt_ = false;
  for (; out_.size() > 0 && out_.back().number >= next; out_.pop())
    if (keeps_all) return text_of(out_.back()) + " was taken by the session and is not in the store";
  return {};
}

std::string Ledger::begin_life(std::uint64_t due, std::uint64_t promised) {
  life_due_ = due;
  life_last_ = 0;
  if (due >= promised) return {};
  return "the store expects number " + std::to_string(due) + ", and promised to expect no less than " +
         std::to_string(promised);
}

std::string Ledger::receive(Numbered entry, bool is_duplicate) {
  if (entry.number <= life_last_)
    return text_of(entry) + " received behind number " + std::to_string(life_last_) + " of the same process";
  life_last_ = entry.number;
  const Numbered last = in_.back();
  if (entry.number > last.number) {
    if (entry.order != last.order + 1) return text_of(entry) + " received behind " + text_of(last);
    in_.push(entry);
    return {};
  }
  ++repeated_;
  if (entry.number < life_due_) return text_of(entry) + " received again, which the store knew as received";
  if (!is_duplicate) return text_of(entry) + " received again without PossDupFlag";
  if (in_.find(entry.number) != entry.order) return text_of(entry) + " received, which was another one before";
  return {};
}

}  // namespace dojima::pairs
