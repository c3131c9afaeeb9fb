#pragma once

// Datagrams as interfaces: whole messages to everybody who subscribed to a group, without an answer. Any of them may be
// lost, come twice, or behind a later one; none comes in part. `net` makes them over UDP, `SimulatedDatagrams` in
// virtual time. Calls go down and callbacks come only from the loop, as with connections. One thread.
//
//   const Result<DatagramSender*> line = fabric.publish({"239.255.3.1", 14303});
//   (*line)->send(unit);
//
//   fabric.subscribe({"239.255.3.1", 14303}, receiver);       // on_datagram follows, for as long as the fabric lives

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/time/time.hpp"

namespace dojima::link {

/// Who takes what is sent to a group.
class DatagramReceiver {
 public:
  /// One whole datagram. The view dies when the handler returns.
  virtual void on_datagram(Bytes datagram, Time now) = 0;

 protected:
  ~DatagramReceiver() = default;
};

/// The way to a group.
class DatagramSender {
 public:
  /// Sends at once and waits for nobody. False: the network did not take it, and it is lost, as any other may be.
  virtual bool send(Bytes datagram) = 0;

 protected:
  ~DatagramSender() = default;
};

/// The datagrams of one thread's network. A group is an address that many subscribe to (multicast), or that of one
/// receiver.
class DatagramFabric {
 public:
  /// A way to the group, for as long as the fabric lives. `unavailable` where nothing can be sent there.
  [[nodiscard]] virtual Result<DatagramSender*> publish(const Address& group) = 0;
  /// The receiver gets what is sent to the group from now on; it outlives the fabric or its last callback. Where it
  /// listens (with the port that was chosen for port 0); `unavailable` where that cannot be had.
  [[nodiscard]] virtual Result<Address> subscribe(const Address& group, DatagramReceiver& receiver) = 0;

 protected:
  ~DatagramFabric() = default;
};

}  // namespace dojima::link
