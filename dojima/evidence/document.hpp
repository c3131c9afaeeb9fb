#pragma once

// A JSON value of the run artefacts, and the one text it has. Objects keep their keys sorted, whole numbers are whole
// whatever type they came from, and a number is written in the shortest form that reads back as the same value; so
// equal values have equal bytes, and a hash over them can be made again by anybody. For offline work: values own their
// memory.
//
//   Document host = Document::object();
//   host.set("cores", 2);
//   host.set("governor", nullptr);                     // not measured; the reason is in the artefact's quality
//   host.canonical()                                   // {"cores":2,"governor":null}

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dojima::evidence {

class Document {
 public:
  struct Member;
  using Array = std::vector<Document>;
  using Object = std::vector<Member>;  ///< sorted by key, each key once

  // Defined below, behind Member: clang wants it complete wherever a value is made.
  Document();
  ~Document();
  Document(const Document&);
  Document(Document&&) noexcept;
  Document& operator=(const Document&);
  Document& operator=(Document&&) noexcept;
  Document(std::nullptr_t);  // NOLINT(google-explicit-constructor): reads as JSON does
  template <std::same_as<bool> YesNo>
  Document(YesNo b);  // NOLINT(google-explicit-constructor)
  template <std::integral Whole>
    requires(!std::same_as<Whole, bool>)
  Document(Whole number);  // NOLINT(google-explicit-constructor)
  /// A number that is no number (NaN, infinity) becomes null.
  Document(double number);          // NOLINT(google-explicit-constructor)
  Document(std::string text);       // NOLINT(google-explicit-constructor)
  Document(std::string_view text);  // NOLINT(google-explicit-constructor)
  Document(const char* text);       // NOLINT(google-explicit-constructor)

  [[nodiscard]] static Document array(Array elements = {});
  [[nodiscard]] static Document object();

  [[nodiscard]] bool is_null() const noexcept { return value_.index() == 0; }
  [[nodiscard]] bool is_bool() const noexcept { return std::holds_alternative<bool>(value_); }
  [[nodiscard]] bool is_whole() const noexcept { return std::holds_alternative<std::int64_t>(value_); }
  [[nodiscard]] bool is_number() const noexcept { return is_whole() || std::holds_alternative<double>(value_); }
  [[nodiscard]] bool is_text() const noexcept { return std::holds_alternative<std::string>(value_); }
  [[nodiscard]] bool is_array() const noexcept { return std::holds_alternative<Array>(value_); }
  [[nodiscard]] bool is_object() const noexcept { return std::holds_alternative<Object>(value_); }

  // What is read from a file may be of any kind; these give the fallback when it is of another.
  [[nodiscard]] bool as_bool(bool fallback = false) const noexcept;
  [[nodiscard]] std::int64_t as_whole(std::int64_t fallback = 0) const noexcept;
  [[nodiscard]] double as_number(double fallback = 0) const noexcept;
  /// Lives as long as this value is not changed.
  [[nodiscard]] std::string_view as_text(std::string_view fallback = {}) const noexcept;
  [[nodiscard]] const Array& elements() const noexcept;  ///< empty unless an array
  [[nodiscard]] const Object& members() const noexcept;  ///< empty unless an object

  /// The member of this name; a null when there is none. O(log n).
  [[nodiscard]] const Document& at(std::string_view key) const noexcept;
  [[nodiscard]] bool has(std::string_view key) const noexcept;

  /// Adds or replaces a member; a null becomes an object first.
  Document& set(std::string_view key, Document value);
  void remove(std::string_view key);
  /// Adds an element; a null becomes an array first.
  void push(Document value);

  /// Without a space: what is hashed.
  [[nodiscard]] std::string canonical() const;
  /// The same tokens broken into readable lines of at most about 120 characters, ending in a newline: what is stored.
  [[nodiscard]] std::string pretty() const;

  friend bool operator==(const Document&, const Document&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

struct Document::Member {
  std::string key;
  Document value;
  friend bool operator==(const Member&, const Member&) = default;
};

inline Document::Document() = default;
inline Document::~Document() = default;
inline Document::Document(const Document&) = default;
inline Document::Document(Document&&) noexcept = default;
inline Document& Document::operator=(const Document&) = default;
inline Document& Document::operator=(Document&&) noexcept = default;
inline Document::Document(std::nullptr_t) {}
template <std::same_as<bool> YesNo>
Document::Document(YesNo b) : value_(b) {}
template <std::integral Whole>
  requires(!std::same_as<Whole, bool>)
Document::Document(Whole number) : value_(static_cast<std::int64_t>(number)) {}
inline Document::Document(std::string text) : value_(std::move(text)) {}
inline Document::Document(std::string_view text) : value_(std::string(text)) {}
inline Document::Document(const char* text) : value_(std::string(text)) {}

/// Reads JSON. The error names the place and what was expected.
[[nodiscard]] std::expected<Document, std::string> parse_document(std::string_view json);

/// `json` without the white space outside of texts.
[[nodiscard]] std::string without_white_space(std::string_view json);

}  // namespace dojima::evidence
