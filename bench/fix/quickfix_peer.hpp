#pragma once

// QuickFIX's codec behind a plain interface: its headers do not compile as C++17 or later, so they stay inside
// quickfix_peer.cpp, which is compiled as C++14. This header compiles as both.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bench_fix {

/// What is read of a message, and what a message is made of; texts as QuickFIX wants them.
struct PlainReport {
  std::string sender, target, cl_ord_id, order_id, exec_id, symbol, account, currency, security_id, last_mkt;
  char side = '1', ord_type = '2', time_in_force = '0', exec_type = 'F', ord_status = '1';
  std::int64_t sequence = 1;
  std::int64_t order_qty = 0, last_qty = 0, leaves_qty = 0, cum_qty = 0;
  double price = 0, last_px = 0, avg_px = 0;
  int year = 2026, month = 7, day = 20, hour = 12, minute = 0, second = 0, millisecond = 0;
};

class QuickFixCodec {
 public:
  /// With a dictionary as XML text, or without one where it is empty. Over FIXT, sessions have one and what they carry
  /// another.
  explicit QuickFixCodec(const std::string& dictionary_xml, const std::string& application_xml = "");
  ~QuickFixCodec();
  QuickFixCodec(const QuickFixCodec&) = delete;
  QuickFixCodec& operator=(const QuickFixCodec&) = delete;

  /// Parses without dictionary, length and checksum verified, and reads eight fields; their digest.
  std::uint64_t parse_order(const std::string& text) const;
  std::uint64_t parse_report(const std::string& text) const;
  /// Parses with the dictionary and validates. Throws what QuickFIX throws.
  std::size_t parse_and_validate(const std::string& text) const;
  /// The same, and the message as QuickFIX writes it.
  std::string written_again(const std::string& text) const;
  /// Builds a message and its text; the text's size.
  std::size_t build_order(const PlainReport& fields) const;
  std::size_t build_report(const PlainReport& fields) const;
  /// What build_report makes.
  std::string report_text(const PlainReport& fields) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace bench_fix
