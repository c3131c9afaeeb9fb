// The options of an order: `key=value`.

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <limits>

#include "dojima/app/trade/order_draft.hpp"

namespace dojima::app {
namespace {

using market::Capacity, market::Quantity;

using OptionReader = Understood<void> (*)(const std::string& value, OrderDraft& draft);

struct OptionRow {
  const char* key;
  OptionReader read;
};

Understood<void> read_into(Quantity& quantity, const std::string& value) {
  const auto read = quantity_in(value);
  if (!read) return wrong(read.error());
  quantity = *read;
  return {};
}

template <class Number>
Understood<void> read_number(Number& number, const std::string& value, Number least, Number most, const char* name) {
  const auto read = number_in<std::int64_t>(value);
  if (!read || *read < least || *read > most)
    return wrong(
        fmt::format("{}={} is not a number from {} to {}", name, value, std::int64_t{least}, std::int64_t{most}));
  number = static_cast<Number>(*read);
  return {};
}

Understood<void> read_text(std::string& text, const std::string& value, std::size_t longest, const char* name) {
  if (value.empty() || value.size() > longest)
    return wrong(fmt::format("{}={} has not 1 to {} characters", name, value, longest));
  text = value;
  return {};
}

template <class Value>
struct Choice {
  const char* word;
  Value value;
};

template <class Value, std::size_t Size>
Understood<Value> choose(const std::array<Choice<Value>, Size>& choices, const std::string& value, const char* name) {
  std::string all;
  for (const Choice<Value>& choice : choices) {
    if (lower(value) == choice.word) return choice.value;
    all += (all.empty() ? "" : ", ") + std::string(choice.word);
  }
  return wrong(fmt::format("{}={} is none of {}", name, value, all));
}

/// ID, or ID:firm, ID:algo, ID:person.
Understood<void> read_party(std::optional<NumberedParty>& party, const std::string& value, const char* name) {
  constexpr std::array k_qualifiers{Choice<std::uint8_t>{"firm", 1}, Choice<std::uint8_t>{"algo", 2},
                                    Choice<std::uint8_t>{"person", 3}};
  const std::size_t colon = value.find(':');
  const auto id = number_in<std::uint32_t>(std::string_view(value).substr(0, colon));
  if (!id) return wrong(fmt::format("{}={} is not a number with :firm, :algo or :person behind it", name, value));
  party = NumberedParty{.id = *id};
  if (colon == std::string::npos) return {};
  const auto qualifier = choose(k_qualifiers, value.substr(colon + 1), name);
  if (!qualifier) return wrong(qualifier.error());
  party->qualifier = *qualifier;
  return {};
}

constexpr std::array k_capacities{Choice<Capacity>{"agency", Capacity::any_other},
                                  Choice<Capacity>{"dealing", Capacity::dealing},
                                  Choice<Capacity>{"matched", Capacity::matched_principal}};
constexpr std::array k_clearings{Choice<std::uint8_t>{"client", 1}, Choice<std::uint8_t>{"house", 3}};
constexpr std::array k_owners{Choice<std::uint8_t>{"none", 0}, Choice<std::uint8_t>{"retail", 1},
                              Choice<std::uint8_t>{"provider", 2}};
constexpr std::array k_pegs{Choice<std::uint8_t>{"any", 1}, Choice<std::uint8_t>{"nopegs", 2}};

template <class Target, class Choices>
Understood<void> choose_into(Target& target, const Choices& choices, const std::string& value, const char* name) {
  const auto chosen = choose(choices, value, name);
  if (!chosen) return wrong(chosen.error());
  target = *chosen;
  return {};
}

Understood<void> read_peak(const std::string& value, OrderDraft& draft) {
  draft.is_random = true;
  return read_into(draft.entry.terms.displayed, value);
}

Understood<void> read_passive(const std::string& value, OrderDraft& draft) {
  constexpr std::uint8_t k_best_visible = 100;
  return read_number<std::uint8_t>(draft.entry.terms.passive, value, 0, k_best_visible, "passive");
}

Understood<void> read_group(const std::string& value, OrderDraft& draft) {
  return read_number<std::uint8_t>(draft.entry.terms.group, value, 1, std::numeric_limits<std::uint8_t>::max(),
                                   "group");
}

constexpr std::array k_options{
    OptionRow{"display", [](const std::string& value,
                            OrderDraft& draft) { return read_into(draft.entry.terms.displayed, value); }},
    OptionRow{"peak", read_peak},
    OptionRow{"min",
              [](const std::string& value, OrderDraft& draft) { return read_into(draft.entry.terms.minimum, value); }},
    OptionRow{"passive", read_passive},
    OptionRow{"group", read_group},
    OptionRow{"pegs", [](const std::string& value,
                         OrderDraft& draft) { return choose_into(draft.entry.terms.peg, k_pegs, value, "pegs"); }},
    OptionRow{"account", [](const std::string& value,
                            OrderDraft& draft) { return read_text(draft.entry.account, value, 10, "account"); }},
    OptionRow{"trader", [](const std::string& value,
                           OrderDraft& draft) { return read_text(draft.entry.trader, value, 11, "trader"); }},
    OptionRow{"capacity",
              [](const std::string& value, OrderDraft& draft) {
                return choose_into(draft.entry.terms.capacity, k_capacities, value, "capacity");
              }},
    OptionRow{"clearing",
              [](const std::string& value, OrderDraft& draft) {
                return choose_into(draft.entry.clearing, k_clearings, value, "clearing");
              }},
    OptionRow{"owner", [](const std::string& value,
                          OrderDraft& draft) { return choose_into(draft.entry.owner_type, k_owners, value, "owner"); }},
    OptionRow{"client", [](const std::string& value,
                           OrderDraft& draft) { return read_party(draft.entry.client, value, "client"); }},
    OptionRow{"decision", [](const std::string& value,
                             OrderDraft& draft) { return read_party(draft.entry.decision_maker, value, "decision"); }},
    OptionRow{"executing", [](const std::string& value, OrderDraft& draft) {
                return read_party(draft.entry.executing_trader, value, "executing");
              }}};

}  // namespace

Understood<bool> read_order_option(const std::string& key, const std::string& value, OrderDraft& draft) {
  const auto option = std::ranges::find(k_options, key, &OptionRow::key);
  if (option == k_options.end()) return false;
  // Both say what is shown.
  if (auto once = draft.say(key == "peak" ? "display" : key); !once) return wrong(once.error());
  if (auto read = option->read(value, draft); !read) return wrong(read.error());
  return true;
}

std::vector<std::string> order_option_names() {
  std::vector<std::string> names;
  for (const OptionRow& option : k_options) names.emplace_back(option.key);
  return names;
}

}  // namespace dojima::app
