#pragma once

// The simulated network as a process has it that may be killed: what it does after its end leaves no byte on a wire.

#include "tests/fix_cases/pair_wire.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "dojima/link/simulated_network.hpp"

namespace dojima::integration {

/// The network as one process sees it.
class ProcessFabric final : public link::Fabric {
 public:
  ProcessFabric(link::SimulatedNetwork& network, pairs::Fuse& fuse) : network_(network), fuse_(fuse) {}

  Result<link::Address> listen(const link::Address& address, link::Acceptor& acceptor) override {
    acceptors_.push_back(std::make_unique<ProcessAcceptor>(*this, acceptor));
    addresses_.push_back(address);
    return network_.listen(address, *acceptors_.back());
  }
  void connect(const link::Address& address, link::Connection& connection) override {
    network_.connect(address, wire(connection));
  }
  /// The process is gone: its streams end behind what it had sent, or are lost with what is on the way.
  void die(bool is_cut) {
    for (const link::Address& address : addresses_) network_.stop_listening(address);
    addresses_.clear();
    for (const auto& wire : wires_) {
      if (!wire->is_used()) continue;
      wire->abandon();
      if (is_cut)
        network_.cut(*wire);
      else
        wire->end();
    }
  }

 private:
  struct ProcessAcceptor final : link::Acceptor {
    ProcessAcceptor(ProcessFabric& of, link::Acceptor& to) : fabric(of), acceptor(to) {}
    link::Connection* on_accept(const link::Address& peer) override {
      link::Connection* const connection = acceptor.on_accept(peer);
      return connection == nullptr ? nullptr : &fabric.wire(*connection);
    }
    ProcessFabric& fabric;
    link::Acceptor& acceptor;
  };

  pairs::Wire& wire(link::Connection& connection) {
    auto found = std::ranges::find_if(wires_, [](const auto& wire) { return !wire->is_used(); });
    if (found == wires_.end()) found = wires_.insert(wires_.end(), std::make_unique<pairs::Wire>(no_damage_));
    (*found)->take(connection, fuse_);
    return **found;
  }

  const std::uint64_t no_damage_ = 0;
  link::SimulatedNetwork& network_;
  pairs::Fuse& fuse_;
  std::vector<std::unique_ptr<ProcessAcceptor>> acceptors_;
  std::vector<std::unique_ptr<pairs::Wire>> wires_;
  std::vector<link::Address> addresses_;
};

}  // namespace dojima::integration
