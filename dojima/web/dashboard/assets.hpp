#pragma once

// The files of the dashboard's pages, which the program carries with it (cmake/DojimaAssets.cmake).

#include <span>
#include <string_view>

namespace dojima::web {

struct Asset {
  std::string_view path;  ///< as it is asked for
  std::string_view type;
  std::string_view bytes;
};

[[nodiscard]] std::span<const Asset> dashboard_assets() noexcept;

}  // namespace dojima::web
