// Any text as what a person types into `dojima trade`: a command within its bounds, or a sentence that says why not.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dojima/app/trade_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima::app;
  const auto command = parse_trade_command({reinterpret_cast<const char*>(data), size});
  if (!command) {
    if (command.error().empty()) std::abort();
    return 0;
  }
  const bool has_quantity = command->verb == TradeVerb::enter || command->verb == TradeVerb::amend;
  if (has_quantity && command->quantity.lots <= 0) std::abort();
  if (command->verb == TradeVerb::enter && command->symbol.empty()) std::abort();
  return 0;
}
