// Any text as what a person types into `dojima trade`: a command within its bounds, or a sentence that says why not.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dojima/app/trade/trade_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima::app;
  const auto command = parse_trade_command({reinterpret_cast<const char*>(data), size});
  if (!command) {
    if (command.error().empty()) std::abort();
    return 0;
  }
  if (command->verb == TradeVerb::enter && (command->order.symbol.empty() || command->order.terms.quantity.lots <= 0))
    std::abort();
  return 0;
}
