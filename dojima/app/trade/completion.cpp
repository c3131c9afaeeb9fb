#include "dojima/app/trade/completion.hpp"

#include <algorithm>

#include "dojima/app/trade/order_draft.hpp"
#include "dojima/app/trade/trade_command.hpp"
#include "dojima/app/trade/words.hpp"

namespace dojima::app {
namespace {

using Names = std::vector<std::string>;

/// Words that can follow a command, each as it is typed.
Names words_behind(const Names& words, std::span<const std::string> symbols) {
  const std::string& verb = words.front();
  const Names known(symbols.begin(), symbols.end());
  const bool is_market = verb == "market";
  if (is_market && words.size() == 1) return {"buy", "sell"};
  if (verb == "buy" || verb == "sell" || is_market) {
    const std::size_t symbol_place = is_market ? 3 : 2;
    if (words.size() < symbol_place) return {};
    if (words.size() == symbol_place) return known;
    Names names = order_word_names();
    for (const std::string& key : order_option_names()) names.push_back(key + "=");
    return names;
  }
  if (verb == "cancel" || verb == "status") return {"all"};
  if (verb == "amend") return {"stop=", "display=", "hidden", "price=", "quantity="};
  if (verb == "help") return {"order", "expect"};
  if (verb == "save") return {"orders", "trades", "positions"};
  if (verb == "masscancel") {
    if (words.back() == "symbol") return known;
    return {"all", "symbol", "segment", "group", "firm"};
  }
  if (verb == "dk") return {"symbol", "side", "quantity", "order", "price", "other"};
  if (verb == "position" || verb == "securities" || verb == "unquote") return known;
  if (verb == "quote") return words.size() == 1 ? known : Names{};
  if (verb != "expect") return {};
  if (words.back() == "position") return known;
  return {"position",  "trades",  "orders",   "refused",  "open", "parked",  "filled", "sent",
          "cancelled", "expired", "rejected", "executed", "left", "average", "within"};
}

}  // namespace

Completion complete(std::string_view before, std::span<const std::string> symbols) {
  Names words = split_words(before);
  const bool is_new_word = words.empty() || before.back() == ' ' || before.back() == '\t' || before.back() == '@';
  const std::string typed = is_new_word ? std::string{} : words.back();
  if (!is_new_word) words.pop_back();
  if (!words.empty()) words.front() = lower(words.front());
  Names candidates;
  for (const std::string& name : words.empty() ? trade_verbs() : words_behind(words, symbols))
    if (name != "@" && name.size() >= typed.size() && lower(name.substr(0, typed.size())) == lower(typed))
      candidates.push_back(name);
  if (candidates.empty()) return {};
  std::string common = candidates.front();
  for (const std::string& name : candidates)
    common.resize(static_cast<std::size_t>(std::ranges::mismatch(common, name).in1 - common.begin()));
  if (candidates.size() > 1)
    return {.insertion = common.size() > typed.size() ? common.substr(typed.size()) : "", .choices = candidates};
  return {.insertion = common.substr(typed.size()) + (common.back() == '=' ? "" : " "), .choices = {}};
}

}  // namespace dojima::app
