#pragma once

// docs/order-fields.md: what each FIX version has of the fields and values that the gateway takes, out of the
// dictionaries that requests are held against. Allocates; not for the way of a message.

#include <string>

namespace dojima::app {

[[nodiscard]] std::string order_fields_page();

}  // namespace dojima::app
