#include "dojima/base/thread_name.hpp"

#include <algorithm>
#include <array>
#include <pthread.h>

namespace dojima {

void name_this_thread(std::string_view name) noexcept {
  std::array<char, 16> text{};  // pthread_setname_np refuses a longer one
  std::ranges::copy(name.substr(0, text.size() - 1), text.begin());
  static_cast<void>(::pthread_setname_np(::pthread_self(), text.data()));
}

}  // namespace dojima
