#pragma once

// What `top -H`, `ps -L`, debuggers and profilers call a thread.
//
//   std::jthread feed([&](const std::stop_token& stop) { name_this_thread("feed"); run(stop); });

#include <string_view>

namespace dojima {

/// The kernel keeps the first 15 bytes. The main thread's name is that of the process: `pgrep` finds it by that. A
/// kernel that refuses changes nothing. O(1), one system call.
void name_this_thread(std::string_view name) noexcept;

}  // namespace dojima
