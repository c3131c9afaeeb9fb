// A client's limits and presence as entries of the journal: what is written is read, and nothing else is taken.

#include "dojima/gateway/limits/state_image.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace dojima::gateway {
namespace {

ClientState full_state() {
  ClientState state;
  state.is_killed = state.is_changed = true;
  state.limits = {.rate = 100'000,
                  .rate_action = RateAction::logout,
                  .queue = 7,
                  .quantity = {1'000'000},
                  .value = 9'000'000'000'000'000'000,
                  .collar_bp = 250,
                  .open_orders = 40,
                  .duplicate_window = std::chrono::milliseconds{1500}};
  for (std::size_t at = 0; at < ClientLimits::k_symbols_max; ++at)
    state.limits.symbols.push_back("SYMBOL-" + std::string(15, 'X') + std::to_string(10 + at));
  for (std::size_t at = 0; at < ClientLimits::k_accounts_max; ++at)
    state.limits.accounts.push_back("ACCOUNT-" + std::to_string(10 + at));
  state.presence = {.mode = CancelOnDisconnect::logout,
                    .is_connected = true,
                    .cause = CancelCause::kill,
                    .stage = CancelStage::sent,
                    .lost_at = time::from_nanoseconds(1'785'000'000'123'456'789),
                    .number = 77};
  return state;
}

TEST(StateImage, the_largest_state_is_read_as_it_was_written) {
  std::array<std::byte, k_limits_entry_max + k_presence_entry_max> room;
  EntryWriter out(room);
  const ClientState state = full_state();
  write_limits(out, 3, state);
  ASSERT_LE(out.written().size(), k_limits_entry_max);
  const std::size_t limits_size = out.written().size();
  write_presence(out, 3, state.presence);
  EXPECT_LE(out.written().size() - limits_size, k_presence_entry_max);
  StateReader in(out.written());
  ClientState read;
  std::uint8_t kind = 0;
  std::uint32_t client = 0;
  ASSERT_TRUE(in.read(kind) && in.read(client) && read_limits(in, read));
  EXPECT_EQ(kind, 9);
  EXPECT_EQ(client, 3u);
  ASSERT_TRUE(in.read(kind) && in.read(client) && read_presence(in, read.presence));
  EXPECT_EQ(kind, 10);
  EXPECT_EQ(in.left(), 0u);
  EXPECT_EQ(read, state);
}

TEST(StateImage, bytes_that_are_no_state_are_refused) {
  constexpr std::size_t k_head = 1 + 4, k_flags = k_head, k_action = k_flags + 1 + 4;
  std::array<std::byte, k_limits_entry_max> room;
  EntryWriter limits(room);
  write_limits(limits, 0, full_state());
  const std::string good(as_text(limits.written()).substr(k_head));
  const auto takes_limits = [](const std::string& bytes) {
    StateReader in(as_bytes(bytes));
    ClientState state;
    return read_limits(in, state);
  };
  EXPECT_TRUE(takes_limits(good));
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(takes_limits(good.substr(0, size))) << size;
  std::string bad = good;
  bad[k_flags - k_head] = 4;
  EXPECT_FALSE(takes_limits(bad));
  bad = good;
  bad[k_action - k_head] = 3;
  EXPECT_FALSE(takes_limits(bad));

  EntryWriter presence(room);
  write_presence(presence, 0, full_state().presence);
  const std::string there(as_text(presence.written()).substr(k_head));
  const auto takes_presence = [](const std::string& bytes) {
    StateReader in(as_bytes(bytes));
    ClientPresence read;
    return read_presence(in, read);
  };
  EXPECT_TRUE(takes_presence(there));
  for (std::size_t size = 0; size < there.size(); ++size) EXPECT_FALSE(takes_presence(there.substr(0, size))) << size;
  for (const auto& [place, value] : {std::pair{0, 3}, std::pair{2, 4}, std::pair{3, 5}}) {
    bad = there;
    bad[static_cast<std::size_t>(place)] = static_cast<char>(value);
    EXPECT_FALSE(takes_presence(bad)) << place;
  }
}

}  // namespace
}  // namespace dojima::gateway
