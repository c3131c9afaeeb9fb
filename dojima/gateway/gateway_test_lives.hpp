#pragma once

// A gateway over the simulated network and a simulated disk that is killed and started again, as often as a test wants.

#include <gtest/gtest.h>
#include <memory>
#include <optional>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::gateway::testing {

/// A gateway on a disk, and what its client keeps from one life to the next.
struct GatewayLives {
  struct Life {
    explicit Life(GatewayLives& lives) {
      fix::JournalStoresOptions options{.name = "test",
                                        .durability = lives.durability,
                                        .segment_bytes = std::size_t{1} << 14,
                                        .disk_bytes = std::uint64_t{1} << 22,
                                        .largest_message = 4196,
                                        .messages_per_session = lives.messages,
                                        .state_bytes = std::uint64_t{1} << 17,
                                        .on_state = [this](Bytes piece) { return saved.apply(piece); }};
      auto opened = fix::JournalStores::open(lives.disk, options);
      EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
      stores = std::move(*opened);
      world.emplace(lives.config, GatewayParts{.stores = stores.get(), .saved = &saved}, lives.network);
      world->venue.last_sequence = lives.last_sequence;
      world->venue.last_execution = lives.last_execution;
      world->run(lives.age += 100s);
      if (lives.outgoing.value == 0) return;
      world->client.session.store().set_next_outgoing(lives.outgoing);
      world->client.session.store().set_next_incoming(lives.incoming);
    }
    void work() {
      while (stores->journal().work()) {
      }
      stores->deliver();
      world->gateway.release();
    }
    SavedState saved;
    std::unique_ptr<fix::JournalStores> stores;
    std::optional<World> world;
  };

  World& begin() {
    disk.restart();
    life = std::make_unique<Life>(*this);
    return *life->world;
  }
  /// The process ends, now.
  void kill() {
    disk.end_process();
    World& world = *life->world;
    outgoing = world.client.session.next_outgoing();
    incoming = world.client.session.next_incoming();
    last_sequence = world.venue.last_sequence;
    last_execution = world.venue.last_execution;
    life.reset();
  }

  journal::Durability durability = journal::Durability::process;
  GatewayConfig config = small_config();
  std::size_t messages = fix::JournalStoresOptions{}.messages_per_session;  // that are kept of each session
  link::SimulatedNetworkOptions network;
  journal::SimulatedDisk disk;
  market::Sequence outgoing, incoming;
  std::uint64_t last_sequence = 0, last_execution = 0;
  time::Duration age{};
  std::unique_ptr<Life> life;
};

}  // namespace dojima::gateway::testing
