#include "dojima/gateway/limits/state_image.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::gateway {
namespace {

constexpr std::uint8_t k_is_changed = 1, k_is_killed = 2;
constexpr std::size_t k_fixed = 64;  // of a limits entry, at most
static_assert(k_fixed + ClientLimits::k_symbols_max * (1 + ClientLimits::k_symbol_size) +
                  ClientLimits::k_accounts_max * (1 + ClientLimits::k_account_size) <=
              k_limits_entry_max);

void add_texts(EntryWriter& out, const std::vector<std::string>& texts) noexcept {
  out.add(static_cast<std::uint8_t>(texts.size()));
  for (const std::string& text : texts) out.add_text(text);
}

[[nodiscard]] bool read_texts(StateReader& in, std::size_t most, std::size_t longest, std::vector<std::string>& texts) {
  std::uint8_t count = 0;
  if (!in.read(count)) return false;
  if (count > most) return in.fail("a list of texts within its limit");
  texts.clear();
  for (std::uint8_t at = 0; at < count; ++at) {
    std::string_view text;
    if (!read_text(in, text, longest)) return false;
    texts.emplace_back(text);
  }
  std::ranges::sort(texts);
  return true;
}

}  // namespace

void write_limits(EntryWriter& out, std::uint32_t client, const ClientState& state) noexcept {
  const ClientLimits& limits = state.limits;
  out.add(static_cast<std::uint8_t>(EntryKind::limits));
  out.add(client);
  out.add(static_cast<std::uint8_t>((state.is_changed ? k_is_changed : 0) | (state.is_killed ? k_is_killed : 0)));
  out.add(limits.rate);
  out.add(static_cast<std::uint8_t>(limits.rate_action));
  out.add(limits.queue);
  out.add(limits.quantity.lots);
  out.add(limits.value);
  out.add(limits.collar_bp);
  out.add(limits.open_orders);
  out.add(static_cast<std::int64_t>(limits.duplicate_window.count()));
  add_texts(out, limits.symbols);
  add_texts(out, limits.accounts);
}

bool read_limits(StateReader& in, ClientState& state) {
  ClientLimits limits;
  std::uint8_t flags = 0, action = 0;
  std::int64_t window = 0;
  if (!in.read(flags) || !in.read(limits.rate) || !in.read(action) || !in.read(limits.queue) ||
      !in.read(limits.quantity.lots) || !in.read(limits.value) || !in.read(limits.collar_bp) ||
      !in.read(limits.open_orders) || !in.read(window) ||
      !read_texts(in, ClientLimits::k_symbols_max, ClientLimits::k_symbol_size, limits.symbols) ||
      !read_texts(in, ClientLimits::k_accounts_max, ClientLimits::k_account_size, limits.accounts))
    return false;
  limits.rate_action = static_cast<RateAction>(action);
  limits.duplicate_window = std::chrono::milliseconds{window};
  if (flags > (k_is_changed | k_is_killed)) return in.fail("flags of a client's limits");
  if (!validate(limits)) return in.fail("limits of a client in their ranges");
  state.limits = limits;
  state.is_changed = (flags & k_is_changed) != 0;
  state.is_killed = (flags & k_is_killed) != 0;
  return true;
}

void write_presence(EntryWriter& out, std::uint32_t client, const ClientPresence& presence) noexcept {
  out.add(static_cast<std::uint8_t>(EntryKind::presence));
  out.add(client);
  out.add(static_cast<std::uint8_t>(presence.mode));
  out.add(std::uint8_t{presence.is_connected});
  out.add(static_cast<std::uint8_t>(presence.cause));
  out.add(static_cast<std::uint8_t>(presence.stage));
  out.add(time::nanoseconds_of(presence.lost_at));
  out.add(presence.number);
}

bool read_presence(StateReader& in, ClientPresence& presence) noexcept {
  std::uint8_t mode = 0, cause = 0, stage = 0;
  std::int64_t lost_at = 0;
  if (!in.read(mode) || !in.read(presence.is_connected) || !in.read(cause) || !in.read(stage) || !in.read(lost_at) ||
      !in.read(presence.number))
    return false;
  if (mode > static_cast<std::uint8_t>(CancelOnDisconnect::logout)) return in.fail("a mode of cancel on disconnect");
  if (cause > static_cast<std::uint8_t>(CancelCause::kill)) return in.fail("a cause to cancel all orders");
  if (stage > static_cast<std::uint8_t>(CancelStage::again)) return in.fail("a stage of cancelling all orders");
  presence.mode = static_cast<CancelOnDisconnect>(mode);
  presence.cause = static_cast<CancelCause>(cause);
  presence.stage = static_cast<CancelStage>(stage);
  presence.lost_at = time::from_nanoseconds(lost_at);
  return true;
}

}  // namespace dojima::gateway
