// Any bytes as a dictionary, in the compact text or as XML, and what compiles holds messages. The first byte chooses.

#include <cstddef>
#include <cstdint>
#include <string>

#include "dojima/base/assert.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/rules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  auto model = data[0] % 2 == 0 ? fix::parse_dictionary("dojima-fix-dictionary 1\n" + std::string(text))
                                : fix::parse_dictionary_xml(text);
  if (!model) {
    DOJIMA_ASSERT(!model.error().text.empty(), "an error says why");
    return 0;
  }
  const auto dictionary = fix::Dictionary::compile({*std::move(model)});
  if (!dictionary) {
    DOJIMA_ASSERT(!dictionary.error().text.empty(), "an error says why");
    return 0;
  }
  static const std::string s_message =
      "8=FIX.4.4\x01"
      "9=38\x01"
      "35=D\x01"
      "34=1\x01"
      "1=a\x01"
      "2=1\x01"
      "3=x\x01"
      "3=y\x01"
      "96=z\x01"
      "5000=u\x01"
      "10=166\x01";
  fix::MessageView view;
  for (const fix::MessageFacts& message : dictionary->messages()) {
    for (const fix::Member& member : message.shape->members())
      DOJIMA_ASSERT(message.shape->find(member.tag)->number == member.number, "every member is found");
  }
  if (view.read(as_bytes(s_message), {.data_fields = &dictionary->data_fields()}))
    static_cast<void>(fix::check_message(view, *dictionary));
  return 0;
}
