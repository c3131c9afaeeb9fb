#include "dojima/gateway/limits/limit_text.hpp"

#include <algorithm>

#include "dojima/gateway/messages/request_reader.hpp"

namespace dojima::gateway {

LimitText& LimitText::add(std::string_view text) noexcept {
  for (const char c : text) {
    // A separator or a character outside ASCII would spoil the FIX message.
    if (size_ + 1 < text_.size()) text_[size_++] = c >= ' ' && c <= '~' ? c : '?';
  }
  return *this;
}

LimitText& LimitText::add(Notional number) noexcept {
  std::array<char, 56> digits{};
  std::size_t begin = digits.size();
  const bool is_negative = number < 0;
  unsigned count = 0;
  do {
    if (count != 0 && count % 3 == 0) digits[--begin] = ',';
    const auto digit = static_cast<int>(number % 10);
    digits[--begin] = static_cast<char>('0' + (is_negative ? -digit : digit));
    number /= 10;
    ++count;
  } while (number != 0);
  if (is_negative) digits[--begin] = '-';
  return add(std::string_view(digits.data() + begin, digits.size() - begin));
}

LimitText& LimitText::add(Notional number, unsigned decimals) noexcept {
  Notional scale = 1;
  for (unsigned at = 0; at < decimals; ++at) scale *= 10;
  if (number < 0) add("-");
  const Notional magnitude = number < 0 ? -number : number;
  add(magnitude / scale);
  Notional rest = magnitude % scale;
  if (rest != 0) add(".");
  while (rest != 0) {
    scale /= 10;
    const char digit = static_cast<char>('0' + static_cast<int>(rest / scale));
    add(std::string_view(&digit, 1));
    rest %= scale;
  }
  return *this;
}

LimitText text_of(Limit broken, const ClientLimits& limits, const LimitUsage& usage, const LimitedRequest& request,
                  Time now) noexcept {
  constexpr std::string_view k_above = " above the client's limit of ";
  constexpr unsigned k_decimals = market::k_price_decimals;
  LimitText text;
  switch (broken) {
    case Limit::killed:
      return text.add("the client's kill switch is set: no new orders, no replaces");
    case Limit::draining:
      return text.add("the gateway is being drained: no new orders");
    case Limit::symbol:
      return text.add(usage.symbol).add(" is not among the client's permitted symbols");
    case Limit::account:
      if (request.account.empty()) return text.add("an account is required, one of the client's permitted ones");
      return text.add("account ").add(request.account).add(" is not among the client's permitted ones");
    case Limit::quantity:
      return text.add("order quantity ").add(request.quantity.lots).add(k_above).add(limits.quantity.lots);
    case Limit::price:
      return text.add("price ")
          .add(request.price.units, k_decimals)
          .add(" outside the client's limit of ")
          .add(limits.collar_bp, 2)
          .add(" % around the reference ")
          .add(usage.reference.units, k_decimals);
    case Limit::value:
      return text.add("order value ")
          .add(value_of(request, usage.reference), k_decimals)
          .add(k_above)
          .add(limits.value);
    case Limit::no_price:
      return text.add("no price and no reference price of ").add(usage.symbol).add(": the order's value is unknown");
    case Limit::open_orders:
      return text.add("open orders ").add(Notional{usage.open_orders} + 1).add(k_above).add(limits.open_orders);
    case Limit::duplicate: {
      const auto ago = std::chrono::floor<std::chrono::milliseconds>(now - usage.last_same.value_or(now));
      return text.add("same symbol, side, price and quantity ")
          .add(ago.count())
          .add(" ms ago, within the client's limit of ")
          .add(limits.duplicate_window.count())
          .add(" ms");
    }
    case Limit::rate:
      return text.add("orders and replaces above the client's limit of ").add(limits.rate).add(" a second");
    case Limit::queue:
      return text.add("requests that wait ").add(Notional{usage.waiting} + 1).add(k_above).add(limits.queue);
  }
  return text;
}

std::uint16_t order_reject_of(Limit broken, FixVersion version) noexcept {
  namespace code = order_reject;
  const bool is_new = version == FixVersion::fix_5_0_sp2;
  switch (broken) {
    case Limit::killed:
    case Limit::draining:
      return code::k_exchange_option;
    case Limit::symbol:
      return code::k_unknown_symbol;
    case Limit::account:
      return version == FixVersion::fix_4_2 ? code::k_exchange_option : code::k_unknown_account;
    case Limit::price:
      return is_new ? code::k_price_band : code::k_exceeds_limit;
    case Limit::value:
      return is_new ? code::k_value_exceeds_threshold : code::k_exceeds_limit;
    case Limit::no_price:
      return is_new ? code::k_no_reference_price : code::k_exceeds_limit;
    case Limit::duplicate:
      return code::k_duplicate;
    case Limit::quantity:
    case Limit::open_orders:
    case Limit::rate:
    case Limit::queue:
      break;
  }
  return code::k_exceeds_limit;
}

std::uint16_t cancel_reject_of(Limit broken, FixVersion version) noexcept {
  const bool is_band = broken == Limit::price && version == FixVersion::fix_5_0_sp2;
  return is_band ? cancel_reject::k_price_band : cancel_reject::k_exchange_option;
}

}  // namespace dojima::gateway
