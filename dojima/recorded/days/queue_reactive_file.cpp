// The parameters of a queue-reactive market as a file.

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "dojima/recorded/days/queue_reactive_day.hpp"

namespace dojima::recorded {
namespace {

constexpr std::string_view k_name = "dojima queue-reactive ";
constexpr std::string_view k_version = "1";

/// The words of a line, up to a '#'.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::optional<std::int64_t> number_in(std::string_view word, std::int64_t most) {
  std::int64_t number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || number < 0 || number > most)
    return std::nullopt;
  return number;
}

constexpr std::int64_t k_any = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t k_far = 1'000'000'000'000'000;       // of prices: sums of them do not overflow
constexpr std::int64_t k_late = 4'000'000'000'000'000'000;  // likewise of times

/// Reads line by line into a model.
class ModelReader {
 public:
  /// Empty: it was right.
  std::string take(const std::vector<std::string_view>& words) {
    const std::string_view name = words.front();
    if (name == "rates") return take_rates(words);
    if (name == "distances") return take_distances(words);
    if (words.size() != 2) return fmt::format("\"{}\" takes one value", name);
    if (name == "symbol") {
      model_.instrument.symbol = words[1];
      return {};
    }
    struct Known {
      std::string_view name;
      std::int64_t least, most;
    };
    static constexpr std::array<Known, 9> k_known = {{{"price_decimals", 0, 18},
                                                      {"quantity_decimals", 0, 18},
                                                      {"tick", 1, k_far},
                                                      {"reference", 1, k_far},
                                                      {"order_quantity", 1, 1'000'000'000'000},
                                                      {"start_ns", 0, k_late},
                                                      {"length_ns", 1, k_late},
                                                      {"lengths", 2, 1000},
                                                      {"follow", 0, 1000}}};
    for (std::size_t at = 0; at < k_known.size(); ++at) {
      if (k_known[at].name != name) continue;
      const auto number = number_in(words[1], k_known[at].most);
      if (!number || *number < k_known[at].least)
        return fmt::format("{} is a number from {} to {}, not \"{}\"", name, k_known[at].least, k_known[at].most,
                           words[1]);
      values_[at] = *number;
      return {};
    }
    return fmt::format("\"{}\" is no parameter of this model", name);
  }

  std::expected<QueueReactiveModel, std::string> finish() {
    static constexpr std::string_view k_names[] = {"price_decimals", "quantity_decimals", "tick",
                                                   "reference",      "order_quantity",    "start_ns",
                                                   "length_ns",      "lengths",           "follow"};
    for (std::size_t at = 0; at < values_.size(); ++at)
      if (!values_[at]) return std::unexpected(fmt::format("\"{}\" is missing", k_names[at]));
    model_.instrument.price_decimals = static_cast<std::uint8_t>(*values_[0]);
    model_.instrument.quantity_decimals = static_cast<std::uint8_t>(*values_[1]);
    model_.instrument.tick = *values_[2];
    model_.instrument.reference = *values_[3];
    model_.order_quantity = *values_[4];
    model_.start = time::from_nanoseconds(*values_[5]);
    model_.length = time::Duration{*values_[6]};
    model_.rates.lengths = static_cast<std::uint32_t>(*values_[7]);
    model_.rates.follow = static_cast<std::uint32_t>(*values_[8]);
    if (const char* const trouble = flow::trouble_of(model_.rates)) return std::unexpected(std::string(trouble));
    return std::move(model_);
  }

 private:
  std::string take_distances(const std::vector<std::string_view>& words) {
    for (std::size_t at = 1; at < words.size(); ++at) {
      const auto ticks = number_in(words[at], 1000);
      if (!ticks) return fmt::format("a distance is 1 to 1000 ticks, not \"{}\"", words[at]);
      model_.rates.distances.push_back(static_cast<std::uint32_t>(*ticks));
    }
    return {};
  }

  /// rates CLASS LENGTH LIMIT CANCEL EXECUTION OCCUPANCY, class by class, length by length
  std::string take_rates(const std::vector<std::string_view>& words) {
    std::array<std::int64_t, 6> numbers{};
    if (words.size() != 7) return "\"rates\" takes class, length, limit, cancel, execution and occupancy";
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      const auto number = number_in(words[at + 1], k_any);
      if (!number) return fmt::format("\"{}\" is no whole number", words[at + 1]);
      numbers[at] = *number;
    }
    const auto lengths = values_[7].value_or(0);
    const auto next = static_cast<std::int64_t>(model_.rates.rates.size());
    if (lengths == 0) return "\"lengths\" comes before the rates";
    if (numbers[0] != next / lengths || numbers[1] != next % lengths)
      return fmt::format("here are the rates of class {} and length {}, expected", next / lengths, next % lengths);
    const auto whole = [&](std::size_t at) { return static_cast<std::uint64_t>(numbers[at]); };
    model_.rates.rates.push_back({whole(2), whole(3), whole(4), whole(5)});
    return {};
  }

  QueueReactiveModel model_;
  std::array<std::optional<std::int64_t>, 9> values_{};
};

}  // namespace

bool is_queue_reactive(std::string_view text) noexcept {
  return text.starts_with(k_name);
}

std::string write_queue_reactive(const QueueReactiveModel& model) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}{}\n", k_name, k_version);
  if (!model.instrument.symbol.empty()) fmt::format_to(out, "symbol {}\n", model.instrument.symbol);
  fmt::format_to(out, "price_decimals {}\nquantity_decimals {}\ntick {}\nreference {}\norder_quantity {}\n",
                 model.instrument.price_decimals, model.instrument.quantity_decimals, model.instrument.tick,
                 model.instrument.reference, model.order_quantity);
  fmt::format_to(out, "start_ns {}\nlength_ns {}\nlengths {}\n", time::nanoseconds_of(model.start),
                 model.length.count(), model.rates.lengths);
  fmt::format_to(out, "# thousandths: the reference follows a middle that comes to lie on a price\nfollow {}\n",
                 model.rates.follow);
  fmt::format_to(out, "# the last distance of each class, in ticks from the reference price\ndistances");
  for (const std::uint32_t distance : model.rates.distances) fmt::format_to(out, " {}", distance);
  fmt::format_to(out, "\n# class, length; per queue and million seconds: limit, cancel, execution; occupancy\n");
  for (std::size_t at = 0; at < model.rates.rates.size(); ++at) {
    const flow::QueueRates& rates = model.rates.rates[at];
    fmt::format_to(out, "rates {} {} {} {} {} {}\n", at / model.rates.lengths, at % model.rates.lengths, rates.limit,
                   rates.cancel, rates.execution, rates.occupancy);
  }
  return text;
}

std::expected<QueueReactiveModel, std::string> read_queue_reactive(std::string_view text) {
  ModelReader reader;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (++line_number == 1) {
      std::string_view version = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
      if (!version.starts_with(k_name))
        return std::unexpected(fmt::format("line 1: a file of this kind begins with \"{}{}\"", k_name, k_version));
      version.remove_prefix(k_name.size());
      if (version != k_version)
        return std::unexpected(fmt::format("line 1: version {} is written here, not \"{}\"", k_version, version));
      continue;
    }
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (const std::string trouble = reader.take(words); !trouble.empty())
      return std::unexpected(fmt::format("line {}: {}", line_number, trouble));
  }
  auto model = reader.finish();
  if (!model) return std::unexpected(fmt::format("line {}: {}", std::max<std::size_t>(line_number, 1), model.error()));
  return model;
}

}  // namespace dojima::recorded
