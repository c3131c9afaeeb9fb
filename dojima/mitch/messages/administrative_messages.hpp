#pragma once

// The messages of MIT303 (Level 2 MITCH, Issue 11.9): the administrative messages of the replay and recovery channels.
// Each record carries its layout: `table()` binds its members to their places on the wire, in wire order; codec.hpp
// reads, writes and checks by it. Members mean what the wire says, in its units: quantities in lots, prices in 1e-8,
// and texts without the spaces behind them. Plain records, no allocation.

#include <cstdint>

#include "dojima/base/layout.hpp"
#include "dojima/market/price.hpp"
#include "dojima/mitch/messages/binding.hpp"

namespace dojima::mitch {

/// Client to server.
struct LoginRequest {
  static constexpr char k_type = '\x01';
  static constexpr std::size_t k_size = 18;
  static constexpr const char* k_name = "LoginRequest";

  Text<6> username;  ///< CompID
  Text<10> password;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&LoginRequest::username, SpacedTextField<6>{2, "Username"}),
                     bind(&LoginRequest::password, SpacedTextField<10>{8, "Password"})};
  }
  friend bool operator==(const LoginRequest&, const LoginRequest&) = default;
};

/// Server to client.
struct LoginResponse {
  static constexpr char k_type = '\x02';
  static constexpr std::size_t k_size = 3;
  static constexpr const char* k_name = "LoginResponse";

  char status = 'A';

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&LoginResponse::status, AlphaField{2, "Status", k_login_statuses})};
  }
  friend bool operator==(const LoginResponse&, const LoginResponse&) = default;
};

/// Client to server, replay.
struct ReplayRequest {
  static constexpr char k_type = '\x03';
  static constexpr std::size_t k_size = 9;
  static constexpr const char* k_name = "ReplayRequest";

  char market_data_group = '1';
  std::uint32_t first_message = 0;  ///< the first sequence number wanted
  std::uint16_t count = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&ReplayRequest::market_data_group, AlphaField{2, "MarketDataGroup"}),
                     bind(&ReplayRequest::first_message, UInt32Field{3, "FirstMessage"}),
                     bind(&ReplayRequest::count, UInt16Field{7, "Count"})};
  }
  friend bool operator==(const ReplayRequest&, const ReplayRequest&) = default;
};

/// Server to client, replay.
struct ReplayResponse {
  static constexpr char k_type = '\x04';
  static constexpr std::size_t k_size = 10;
  static constexpr const char* k_name = "ReplayResponse";

  char market_data_group = '1';
  std::uint32_t first_message = 0;  ///< 0 unless accepted
  std::uint16_t count = 0;          ///< 0 unless accepted
  char status = 'A';

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&ReplayResponse::market_data_group, AlphaField{2, "MarketDataGroup"}),
                     bind(&ReplayResponse::first_message, UInt32Field{3, "FirstMessage"}),
                     bind(&ReplayResponse::count, UInt16Field{7, "Count"}),
                     bind(&ReplayResponse::status, AlphaField{9, "Status", k_replay_statuses})};
  }
  friend bool operator==(const ReplayResponse&, const ReplayResponse&) = default;
};

/// Client to server.
struct LogoutRequest {
  static constexpr char k_type = '\x05';
  static constexpr std::size_t k_size = 2;
  static constexpr const char* k_name = "LogoutRequest";

  [[nodiscard]] static constexpr FieldList<> table() noexcept { return FieldList<>{}; }
  friend bool operator==(const LogoutRequest&, const LogoutRequest&) = default;
};

/// Client to server, recovery.
struct SnapshotRequest {
  static constexpr char k_type = '\x81';
  static constexpr std::size_t k_size = 16;
  static constexpr const char* k_name = "SnapshotRequest";

  std::uint32_t sequence_number = 0;  ///< not used by the server
  Text<6> segment;                    ///< empty: an instrument is wanted
  std::uint32_t instrument_id = 0;    ///< 0: a segment is wanted

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&SnapshotRequest::sequence_number, UInt32Field{2, "SequenceNumber"}),
                     bind(&SnapshotRequest::segment, SpacedTextField<6>{6, "Segment"}),
                     bind(&SnapshotRequest::instrument_id, UInt32Field{12, "InstrumentID"})};
  }
  friend bool operator==(const SnapshotRequest&, const SnapshotRequest&) = default;
};

/// Server to client, recovery.
struct SnapshotResponse {
  static constexpr char k_type = '\x82';
  static constexpr std::size_t k_size = 11;
  static constexpr const char* k_name = "SnapshotResponse";

  std::uint32_t sequence_number = 0;  ///< always 0
  std::uint32_t order_count = 0;      ///< always 0
  char status = 'A';

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&SnapshotResponse::sequence_number, UInt32Field{2, "SequenceNumber"}),
                     bind(&SnapshotResponse::order_count, UInt32Field{6, "OrderCount"}),
                     bind(&SnapshotResponse::status, AlphaField{10, "Status", k_snapshot_statuses})};
  }
  friend bool operator==(const SnapshotResponse&, const SnapshotResponse&) = default;
};

/// Server to client, recovery.
struct SnapshotComplete {
  static constexpr char k_type = '\x83';
  static constexpr std::size_t k_size = 17;
  static constexpr const char* k_name = "SnapshotComplete";

  std::uint32_t sequence_number = 0;  ///< the last real-time number that the snapshot includes
  Text<6> segment;                    ///< empty unless for a segment
  std::uint32_t instrument_id = 0;    ///< 0 unless for an instrument
  std::uint8_t flags = 0;

  [[nodiscard]] static constexpr auto table() noexcept {
    return FieldList{bind(&SnapshotComplete::sequence_number, UInt32Field{2, "SequenceNumber"}),
                     bind(&SnapshotComplete::segment, SpacedTextField<6>{6, "Segment"}),
                     bind(&SnapshotComplete::instrument_id, UInt32Field{12, "InstrumentID"}),
                     bind(&SnapshotComplete::flags, BitField{16, "Flags", k_complete_bits})};
  }
  friend bool operator==(const SnapshotComplete&, const SnapshotComplete&) = default;
};

}  // namespace dojima::mitch
