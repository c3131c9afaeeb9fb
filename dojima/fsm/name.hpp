#pragma once

// Names of enumerators, functions and member functions, read from the compiler's own text for a template argument. For
// diagrams and reports; nothing on the way of a message uses it. Works for scoped enumerations and named functions with
// g++ and clang; a value without a name gives its number.
//
//   fsm::name_of_value<Order::pending>() == "pending";   fsm::name_of_value<&Session::on_logon>() == "on_logon"

#include <cstddef>
#include <string_view>

namespace dojima::fsm {

namespace detail {

template <auto Value>
[[nodiscard]] constexpr std::string_view pretty_value() noexcept {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::string_view mark = "Value = ";
  constexpr std::size_t begin = text.find(mark) + mark.size();
  // g++ goes on with "; std::string_view = ..." where clang closes the bracket.
  constexpr std::size_t semicolon = text.find(';', begin);
  constexpr std::size_t end = semicolon == std::string_view::npos ? text.rfind(']') : semicolon;
  return text.substr(begin, end - begin);
}

}  // namespace detail

/// The last part of the value's name, or its number as text. Static.
template <auto Value>
[[nodiscard]] constexpr std::string_view name_of_value() noexcept {
  std::string_view name = detail::pretty_value<Value>();
  if (name.find("lambda") != std::string_view::npos) return "lambda";
  if (name.starts_with('(') && name.find(')') + 1 < name.size()) name = name.substr(name.find(')') + 1);  // (Type)12
  while (name.ends_with(')') || name.ends_with('}') || name.ends_with('(') || name.ends_with('{'))
    name.remove_suffix(1);
  int depth = 0;  // of template arguments, whose own :: do not count
  for (std::size_t at = name.size(); at > 0; --at) {
    const char c = name[at - 1];
    if (c == '>') ++depth;
    if (c == '<') --depth;
    if (depth == 0 && (c == ':' || c == '&' || c == ' ' || c == '(')) return name.substr(at);
  }
  return name;
}

}  // namespace dojima::fsm
