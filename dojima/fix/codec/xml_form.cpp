#include "dojima/fix/codec/xml_form.hpp"

#include <array>

namespace dojima::fix {
namespace {

constexpr bool is_blank(char character) noexcept {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

constexpr bool is_name_start(char character) noexcept {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character == '_' ||
         character == ':' || static_cast<unsigned char>(character) >= 0x80;
}

constexpr bool is_name(char character) noexcept {
  return is_name_start(character) || (character >= '0' && character <= '9') || character == '-' || character == '.';
}

/// What is between the two marks around a text: nothing that XML cannot hold at all.
bool has_control_character(std::string_view text) noexcept {
  for (const char character : text) {
    if (static_cast<unsigned char>(character) < ' ' && !is_blank(character)) return true;
  }
  return false;
}

/// Reads forward; every function gives whether what it is named after was there, and then is behind it.
class XmlReader {
 public:
  explicit XmlReader(std::string_view text) noexcept : rest_(text) {}

  bool document() noexcept {
    if (has_control_character(rest_)) return false;
    take("\xef\xbb\xbf");  // a byte order mark
    if (rest_.starts_with("<?xml") && rest_.size() > 5 && is_blank(rest_[5]) && !skip_behind("?>")) return false;
    if (!misc() || !start_tag()) return false;
    while (depth_ > 0) {
      if (!content()) return false;
    }
    return misc() && rest_.empty();
  }

 private:
  bool take(std::string_view mark) noexcept {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }
  bool skip_behind(std::string_view mark) noexcept {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + mark.size());
    return true;
  }
  bool blanks() noexcept {
    const std::size_t before = rest_.size();
    while (!rest_.empty() && is_blank(rest_[0])) rest_.remove_prefix(1);
    return rest_.size() != before;
  }
  /// Empty: there is no name.
  std::string_view name() noexcept {
    if (rest_.empty() || !is_name_start(rest_[0])) return {};
    std::size_t end = 1;
    while (end < rest_.size() && is_name(rest_[end])) ++end;
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }

  bool comment() noexcept {
    const std::size_t dashes = rest_.find("--");
    return dashes != std::string_view::npos && rest_.substr(dashes).starts_with("-->") && skip_behind("-->");
  }
  /// Behind `<?`. Another declaration is not allowed there.
  bool instruction() noexcept {
    const std::string_view target = name();
    const auto is_letter = [target](std::size_t at, char letter) { return (target[at] | 0x20) == letter; };
    if (target.empty() || (target.size() == 3 && is_letter(0, 'x') && is_letter(1, 'm') && is_letter(2, 'l')))
      return false;
    return take("?>") || (blanks() && skip_behind("?>"));
  }
  /// Comments, instructions and blanks around the root.
  bool misc() noexcept {
    while (true) {
      blanks();
      if (take("<!--")) {
        if (!comment()) return false;
      } else if (take("<?")) {
        if (!instruction()) return false;
      } else {
        return true;
      }
    }
  }

  /// `&name;`, `&#10;` or `&#xa;`, behind the `&`. Names that nothing declares are none.
  bool reference() noexcept {
    for (const std::string_view known : {"lt;", "gt;", "amp;", "apos;", "quot;"}) {
      if (take(known)) return true;
    }
    if (!take("#")) return false;
    const bool is_hex = take("x");
    std::size_t digits = 0;
    const auto is_digit = [is_hex](char character) {
      const char low = static_cast<char>(character | 0x20);
      return (character >= '0' && character <= '9') || (is_hex && low >= 'a' && low <= 'f');
    };
    while (digits < rest_.size() && is_digit(rest_[digits])) ++digits;
    rest_.remove_prefix(digits);
    return digits > 0 && take(";");
  }

  /// A quoted value, with nothing in it that markup begins with.
  bool attribute_value() noexcept {
    if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\'')) return false;
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_[0] != quote) {
      const char character = rest_[0];
      rest_.remove_prefix(1);
      if (character == '<' || (character == '&' && !reference())) return false;
    }
    return take(std::string_view(&quote, 1));
  }

  /// `<name a="b">` or `<name/>`, from the `<` on.
  bool start_tag() noexcept {
    constexpr std::size_t k_attributes_max = 64;
    std::array<std::string_view, k_attributes_max> seen;
    std::size_t count = 0;
    if (!take("<")) return false;
    const std::string_view element = name();
    if (element.empty()) return false;
    while (true) {
      const bool is_apart = blanks();
      if (take("/>")) return true;
      if (take(">")) {
        if (depth_ == k_xml_depth_max) return false;
        open_[depth_++] = element;
        return true;
      }
      const std::string_view attribute = name();
      if (attribute.empty() || !is_apart || count == k_attributes_max) return false;
      for (std::size_t at = 0; at < count; ++at) {
        if (seen[at] == attribute) return false;
      }
      seen[count++] = attribute;
      blanks();
      if (!take("=")) return false;
      blanks();
      if (!attribute_value()) return false;
    }
  }

  bool end_tag() noexcept {
    if (name() != open_[depth_ - 1]) return false;
    blanks();
    --depth_;
    return take(">");
  }

  /// One piece of what is inside an element.
  bool content() noexcept {
    if (rest_.empty()) return false;
    if (take("</")) return end_tag();
    if (take("<!--")) return comment();
    if (take("<![CDATA[")) return skip_behind("]]>");
    if (take("<?")) return instruction();
    if (rest_[0] == '<') return start_tag();
    if (take("&")) return reference();
    if (rest_.starts_with("]]>")) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
  std::size_t depth_ = 0;
  std::array<std::string_view, k_xml_depth_max> open_;
};

}  // namespace

bool is_well_formed_xml(std::string_view text) noexcept {
  return XmlReader(text).document();
}

}  // namespace dojima::fix
