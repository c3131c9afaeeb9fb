#include "dojima/evidence/document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::evidence {
namespace {

const Document k_null;

void append_text(std::string& out, std::string_view text) {
  static constexpr char k_digits[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += k_digits[static_cast<unsigned char>(c) >> 4];
          out += k_digits[static_cast<unsigned char>(c) & 15];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

template <class Number>
void append_number(std::string& out, Number number) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void append_canonical(std::string& out, const Document& value) {
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_whole()) {
    append_number(out, value.as_whole());
  } else if (value.is_number()) {
    append_number(out, value.as_number());
  } else if (value.is_text()) {
    append_text(out, value.as_text());
  } else if (value.is_array()) {
    out += '[';
    for (const Document& element : value.elements()) {
      if (&element != &value.elements().front()) out += ',';
      append_canonical(out, element);
    }
    out += ']';
  } else {
    out += '{';
    for (const Document::Member& member : value.members()) {
      if (&member != &value.members().front()) out += ',';
      append_text(out, member.key);
      out += ':';
      append_canonical(out, member.value);
    }
    out += '}';
  }
}

constexpr std::size_t k_line = 120;

void append_pretty(std::string& out, const Document& value, std::size_t indent, std::size_t prefix);

void new_line(std::string& out, std::size_t indent) {
  out += '\n';
  out.append(indent, ' ');
}

/// Long rows of numbers fill their lines; everything else gets a line an element.
void append_elements(std::string& out, const Document& value, std::size_t indent) {
  const bool fills = std::ranges::all_of(value.elements(), [](const Document& element) { return element.is_number(); });
  std::size_t line_begin = 0;
  for (const Document& element : value.elements()) {
    const bool first = &element == &value.elements().front();
    if (!first) out += ',';
    if (fills) {
      const std::string text = element.canonical();
      if (first || out.size() - line_begin + text.size() + 2 > k_line) {
        new_line(out, indent);
        line_begin = out.size() - indent;
      } else {
        out += ' ';
      }
      out += text;
    } else {
      new_line(out, indent);
      append_pretty(out, element, indent, 0);
    }
  }
}

void append_pretty(std::string& out, const Document& value, std::size_t indent, std::size_t prefix) {
  const std::string flat = value.canonical();
  const bool is_container = value.is_array() || value.is_object();
  if (!is_container || indent + prefix + flat.size() + 1 <= k_line) {
    out += flat;
    return;
  }
  out += value.is_array() ? '[' : '{';
  if (value.is_array()) {
    append_elements(out, value, indent + 1);
  } else {
    for (const Document::Member& member : value.members()) {
      if (&member != &value.members().front()) out += ',';
      new_line(out, indent + 1);
      const std::size_t before = out.size();
      append_text(out, member.key);
      out += ": ";
      append_pretty(out, member.value, indent + 1, out.size() - before);
    }
  }
  new_line(out, indent);
  out += value.is_array() ? ']' : '}';
}

/// Deeper than any artefact; a file of brackets must not exhaust the stack.
constexpr int k_depth = 64;

Document from_json(const nlohmann::json& json, int depth = 0) {
  if (depth > k_depth) throw std::length_error("nested deeper than " + std::to_string(k_depth));
  switch (json.type()) {
    case nlohmann::json::value_t::boolean:
      return json.get<bool>();
    case nlohmann::json::value_t::number_unsigned:
      // Beyond the signed range a whole number is kept as nearly as a double can.
      if (json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return json.get<double>();
      return json.get<std::int64_t>();
    case nlohmann::json::value_t::number_integer:
      return json.get<std::int64_t>();
    case nlohmann::json::value_t::number_float:
      return json.get<double>();
    case nlohmann::json::value_t::string:
      return json.get<std::string>();
    case nlohmann::json::value_t::array: {
      Document::Array elements;
      elements.reserve(json.size());
      for (const auto& element : json) elements.push_back(from_json(element, depth + 1));
      return Document::array(std::move(elements));
    }
    case nlohmann::json::value_t::object: {
      Document object = Document::object();
      for (const auto& [key, member] : json.items()) object.set(key, from_json(member, depth + 1));
      return object;
    }
    default:
      return {};
  }
}

auto position_of(auto& members, std::string_view key) {
  return std::ranges::lower_bound(members, key, {}, [](const auto& member) { return std::string_view(member.key); });
}

}  // namespace

Document::Document(double number) {
  // 2^53: up to here every whole number is a double of its own.
  constexpr double k_whole = 9007199254740992.0;
  if (!std::isfinite(number)) return;
  if (number == std::floor(number) && std::fabs(number) <= k_whole) {
    value_ = static_cast<std::int64_t>(number);
  } else {
    value_ = number;
  }
}

Document Document::array(Array elements) {
  Document result;
  result.value_ = std::move(elements);
  return result;
}

Document Document::object() {
  Document result;
  result.value_ = Object{};
  return result;
}

bool Document::as_bool(bool fallback) const noexcept {
  const bool* held = std::get_if<bool>(&value_);
  return held != nullptr ? *held : fallback;
}

std::int64_t Document::as_whole(std::int64_t fallback) const noexcept {
  const std::int64_t* held = std::get_if<std::int64_t>(&value_);
  return held != nullptr ? *held : fallback;
}

double Document::as_number(double fallback) const noexcept {
  if (const std::int64_t* held = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*held);
  const double* held = std::get_if<double>(&value_);
  return held != nullptr ? *held : fallback;
}

std::string_view Document::as_text(std::string_view fallback) const noexcept {
  const std::string* held = std::get_if<std::string>(&value_);
  return held != nullptr ? std::string_view(*held) : fallback;
}

const Document::Array& Document::elements() const noexcept {
  static const Array k_empty;
  const Array* held = std::get_if<Array>(&value_);
  return held != nullptr ? *held : k_empty;
}

const Document::Object& Document::members() const noexcept {
  static const Object k_empty;
  const Object* held = std::get_if<Object>(&value_);
  return held != nullptr ? *held : k_empty;
}

const Document& Document::at(std::string_view key) const noexcept {
  const auto& all = members();
  const auto place = position_of(all, key);
  return place != all.end() && place->key == key ? place->value : k_null;
}

bool Document::has(std::string_view key) const noexcept {
  const auto& all = members();
  const auto place = position_of(all, key);
  return place != all.end() && place->key == key;
}

Document& Document::set(std::string_view key, Document value) {
  if (is_null()) value_ = Object{};
  DOJIMA_ASSERT(is_object(), "only an object has members");
  Object& all = std::get<Object>(value_);
  const auto place = position_of(all, key);
  if (place != all.end() && place->key == key) {
    place->value = std::move(value);
  } else {
    all.insert(place, Member{std::string(key), std::move(value)});
  }
  return *this;
}

void Document::remove(std::string_view key) {
  if (!is_object()) return;
  Object& all = std::get<Object>(value_);
  const auto place = position_of(all, key);
  if (place != all.end() && place->key == key) all.erase(place);
}

void Document::push(Document value) {
  if (is_null()) value_ = Array{};
  DOJIMA_ASSERT(is_array(), "only an array takes elements");
  std::get<Array>(value_).push_back(std::move(value));
}

std::string Document::canonical() const {
  std::string out;
  append_canonical(out, *this);
  return out;
}

std::string Document::pretty() const {
  std::string out;
  append_pretty(out, *this, 0, 0);
  out += '\n';
  return out;
}

std::expected<Document, std::string> parse_document(std::string_view json) {
  try {
    return from_json(nlohmann::json::parse(json));
  } catch (const nlohmann::json::exception& trouble) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ...": the part for people comes after the
    // bracket.
    const std::string_view text = trouble.what();
    const std::size_t bracket = text.find("] ");
    return std::unexpected(std::string(bracket == std::string_view::npos ? text : text.substr(bracket + 2)));
  } catch (const std::length_error& trouble) {
    return std::unexpected(std::string(trouble.what()));
  }
}

std::string without_white_space(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text && c == '\\' && i + 1 < json.size()) {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') in_text = !in_text;
    if (in_text || (c != ' ' && c != '\n' && c != '\t' && c != '\r')) out += c;
  }
  return out;
}

}  // namespace dojima::evidence
