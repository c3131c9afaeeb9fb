#include "dojima/app/configuration/row_problems.hpp"

#include <fmt/core.h>
#include <utility>

namespace dojima::app {

void RowProblems::complain(std::string_view column, const std::string& what) {
  is_row_good_ = false;
  if (problems_.size() == k_most) {
    ++more_;
    return;
  }
  problems_.push_back(fmt::format("{}:{}: {}{}{}", name_, line_, column, column.empty() ? "" : ": ", what));
}

std::vector<std::string> RowProblems::take() {
  if (more_ != 0) problems_.push_back(fmt::format("{}: and {} more", name_, more_));
  return std::move(problems_);
}

}  // namespace dojima::app
