#include "dojima/cli/dashboard_option.hpp"

#include <stdexcept>

#include "dojima/app/dashboard_config.hpp"

namespace dojima::cli {
void add_dashboard_option(Command command, bool& is_wanted, std::string& where, const std::string& meaning) {
  command
      .add_option_or_flag(
          "--dashboard", "",
          [&is_wanted, &where](const std::string& given) {
            if (const auto address = app::parse_dashboard(given); !address)
              throw std::invalid_argument(address.error());
            is_wanted = true;
            where = given;
          },
          meaning)
      .type_name("[HOST:PORT]");
}

}  // namespace dojima::cli
