#pragma once

// A client's own identifier of a request, ClOrdID(11), as a record keeps it.

#include <cstddef>

#include "dojima/base/text.hpp"

namespace dojima::gateway {

/// The longest ClOrdID a record holds.
inline constexpr std::size_t k_cl_ord_id_max = 40;
using ClOrdId = Text<k_cl_ord_id_max>;

}  // namespace dojima::gateway
