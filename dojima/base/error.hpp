#pragma once

// Expected trouble as a value: input that is wrong, peers that vanish, capacities that run out. An `Error` is trivially
// copyable, owns nothing and costs no allocation, so a flood of bad input costs none either. Text is made where it is
// shown, with `describe`. Programmer errors are assertions (assert.hpp), never an `Error`.
//
//   Result<Price> price = parse_price("12.5");
//   if (!price) { char text[160]; show(describe(price.error(), text)); }

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

namespace dojima {

/// What kind of trouble it was. A protocol's own reject code, where there is one, is in `Error::got` or is chosen by
/// the session; these few say what happened to the reader.
enum class ErrorCode : std::uint16_t {
  none = 0,
  incomplete,     ///< more bytes are needed before anything can be said
  malformed,      ///< the bytes do not follow the format
  out_of_range,   ///< well-formed, but no allowed value
  missing,        ///< a required value is absent
  unknown,        ///< refers to something that is not there
  duplicate,      ///< already there
  too_long,       ///< does not fit the field
  too_precise,    ///< would have to be rounded
  not_supported,  ///< understood, but this build or dialect has no such thing
  no_room,        ///< a fixed capacity is used up
  unavailable,    ///< a peer or resource cannot be reached now
  refused,        ///< not permitted
  wrong_state,    ///< not now: the session or phase does not allow it
};

/// What was wrong, where, and what was expected. 32 bytes, trivially copyable.
struct Error {
  ErrorCode code = ErrorCode::none;
  std::uint16_t field = 0;         ///< protocol field: a FIX tag, a byte offset of a MIT203 field; 0: none
  std::uint32_t offset = 0;        ///< byte offset in the message, or line in a file; 0: unknown or the beginning
  std::int64_t got = 0;            ///< the offending number, or a protocol reject code; 0: none
  const char* expected = nullptr;  ///< static text: what would have been right

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = std::expected<T, Error>;

/// A failed `Result` in one call: `return fail(ErrorCode::too_long, tag, offset, size, "at most 20 characters");`
[[nodiscard]] constexpr std::unexpected<Error> fail(ErrorCode code, std::uint16_t field = 0, std::uint32_t offset = 0,
                                                    std::int64_t got = 0, const char* expected = nullptr) noexcept {
  return std::unexpected(Error{code, field, offset, got, expected});
}

/// The code's name as a word, e.g. "out of range". Static.
[[nodiscard]] std::string_view name_of(ErrorCode code) noexcept;

/// Writes one readable line ("out of range: field 38, offset 61, got 0, expected > 0") into `text`, cut to its size.
/// Returns the part written. No allocation.
std::string_view describe(const Error& error, std::span<char> text) noexcept;

}  // namespace dojima
