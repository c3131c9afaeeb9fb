#include "dojima/fsm/hash_search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <ranges>
#include <unordered_set>

#include "dojima/base/assert.hpp"
#include "dojima/base/find_first_of.hpp"

namespace dojima::fsm {
namespace {

constexpr std::uint64_t k_block_seeds = 4096;
constexpr std::uint64_t k_denominator_max = std::uint64_t{1} << 24U;

/// One thread's part: blocks in ascending order, until one is found or the others have found an earlier one.
struct Worker {
  std::span<const std::uint64_t> keys;
  std::uint64_t seeds;
  std::uint64_t blocks_per_denominator;

  std::vector<std::uint32_t> stamps{};
  std::uint32_t stamp = 0;
  std::uint64_t tries = 0;
  std::uint64_t probes = 0;

  /// The smallest perfect seed of the block, if there is one.
  std::optional<XorModuloPosition> search(std::uint64_t denominator, std::uint64_t block) {
    if (stamps.size() < denominator) stamps.resize(static_cast<std::size_t>(denominator) * 2, 0);
    if (stamp > 0xffff'0000U) {
      std::fill(stamps.begin(), stamps.end(), 0);
      stamp = 0;
    }
    const std::uint64_t end = std::min(seeds, (block + 1) * k_block_seeds);
    for (std::uint64_t seed = block * k_block_seeds; seed < end; ++seed) {
      ++tries;
      if (is_perfect_xor_modulo<std::uint32_t>(keys, seed, denominator, stamps, ++stamp, probes))
        return XorModuloPosition{.denominator = denominator, .seed = seed, .is_found = true};
    }
    return std::nullopt;
  }
};

/// Whether a block has a perfect seed; each thread's copy has stamps of its own.
class BlockSearch {
 public:
  BlockSearch(const Worker& worker, std::uint64_t first_denominator, std::atomic<std::uint64_t>& tries)
      : worker_(worker), first_denominator_(first_denominator), tries_(&tries) {}

  [[nodiscard]] bool operator()(std::uint64_t block) {
    const std::uint64_t before = worker_.tries;
    const bool is_found = look(block).has_value();
    tries_->fetch_add(worker_.tries - before, std::memory_order_relaxed);
    return is_found;
  }
  [[nodiscard]] std::optional<XorModuloPosition> look(std::uint64_t block) {
    return worker_.search(first_denominator_ + block / worker_.blocks_per_denominator,
                          block % worker_.blocks_per_denominator);
  }

 private:
  Worker worker_;
  std::uint64_t first_denominator_;
  std::atomic<std::uint64_t>* tries_;
};

void append_number(std::string& text, std::uint64_t number) {
  text += std::to_string(number);
}

}  // namespace

Result<HashSearch> HashSearch::begin(std::span<const std::uint64_t> keys, HashSearchLimits limits) {
  if (keys.empty()) return fail(ErrorCode::missing, 0, 0, 0, "at least one key");
  if (keys.size() > k_keys_max)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(keys.size()), "at most 65,534 keys");
  std::vector<std::uint64_t> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    return fail(ErrorCode::duplicate, 0, 0, static_cast<std::int64_t>(*twice), "each key once");

  HashSearch search;
  search.keys_.assign(keys.begin(), keys.end());
  const std::uint64_t all_seeds = xor_modulo_seeds(sorted.back());
  search.is_exhaustive_ = all_seeds != 0 && all_seeds <= limits.seeds_max && limits.first_denominator <= keys.size();
  search.seeds_ = all_seeds == 0 ? limits.seeds_max : std::min(all_seeds, limits.seeds_max);
  search.first_denominator_ = std::max<std::uint64_t>(keys.size(), limits.first_denominator);
  search.last_denominator_ =
      limits.last_denominator == 0 ? std::max<std::uint64_t>(64, 8 * keys.size()) : limits.last_denominator;
  if (search.seeds_ == 0 || search.first_denominator_ > search.last_denominator_ ||
      search.last_denominator_ > k_denominator_max)
    return fail(ErrorCode::out_of_range, 0, 0, static_cast<std::int64_t>(search.last_denominator_),
                "number of keys <= first denominator <= last denominator <= 16,777,216, and seeds to try");
  search.position_.denominator = search.first_denominator_;
  return search;
}

std::uint64_t HashSearch::blocks_per_denominator() const noexcept {
  return (seeds_ + k_block_seeds - 1) / k_block_seeds;
}

void HashSearch::run(unsigned threads, std::uint64_t blocks) {
  if (status_ != Status::searching) return;
  const std::uint64_t per_denominator = blocks_per_denominator();
  const std::uint64_t begin =
      (position_.denominator - first_denominator_) * per_denominator + position_.seed / k_block_seeds;
  const std::uint64_t all = (last_denominator_ - first_denominator_ + 1) * per_denominator;
  const std::uint64_t end = std::min(all, begin + std::min(blocks, all));

  std::atomic<std::uint64_t> tries{position_.tries};
  const Worker worker{.keys = keys_, .seeds = seeds_, .blocks_per_denominator = per_denominator};
  const BlockSearch search{worker, first_denominator_, tries};
  const auto blocks_here = std::views::iota(begin, end);
  const auto hit =
      find_first_of(blocks_here.begin(), blocks_here.end(), search, {.threads = std::max(1U, threads), .grain = 1});
  if (hit != blocks_here.end()) {
    position_ = *BlockSearch(search).look(*hit);
    status_ = Status::found;
  } else {
    position_.denominator = first_denominator_ + end / per_denominator;
    position_.seed = end % per_denominator * k_block_seeds;
    if (end == all) status_ = Status::exhausted;
  }
  position_.tries = tries.load();
}

HashPlan HashSearch::plan() const noexcept {
  HashPlan result = plan_xor_modulo(keys_.size(), position_);
  result.is_exhaustive = result.is_found && is_exhaustive_;
  return result;
}

std::uint64_t HashSearch::digest() const noexcept {
  std::uint64_t digest = multiplier(keys_.size()) ^ seeds_;
  for (const std::uint64_t key : keys_) digest = multiplier(digest ^ key) + (digest << 1U);
  return multiplier(digest ^ (first_denominator_ << 32U) ^ last_denominator_);
}

std::string HashSearch::checkpoint() const {
  std::string text = "xor_modulo";
  for (const std::uint64_t number :
       {digest(), position_.denominator, position_.seed, position_.tries, std::uint64_t{status_ == Status::found},
        std::uint64_t{status_ == Status::exhausted}}) {
    text += ' ';
    append_number(text, number);
  }
  return text;
}

Result<void> HashSearch::resume(std::string_view checkpoint) {
  constexpr const char* form = "xor_modulo DIGEST DENOMINATOR SEED TRIES FOUND EXHAUSTED";
  constexpr std::string_view head = "xor_modulo";
  if (!checkpoint.starts_with(head)) return fail(ErrorCode::malformed, 0, 0, 0, form);
  std::array<std::uint64_t, 6> numbers{};
  const char* at = checkpoint.data() + head.size();
  const char* const end = checkpoint.data() + checkpoint.size();
  for (std::uint64_t& number : numbers) {
    if (at == end || *at != ' ') return fail(ErrorCode::malformed, 0, 0, 0, form);
    const auto [rest, error] = std::from_chars(at + 1, end, number);
    if (error != std::errc{}) return fail(ErrorCode::malformed, 0, 0, 0, form);
    at = rest;
  }
  while (at != end && (*at == '\n' || *at == '\r')) ++at;
  if (at != end || numbers[4] > 1 || numbers[5] > 1) return fail(ErrorCode::malformed, 0, 0, 0, form);
  if (numbers[0] != digest()) return fail(ErrorCode::refused, 0, 0, 0, "a checkpoint of the same keys and limits");
  const bool is_found = numbers[4] == 1;
  const bool is_over = numbers[5] == 1;
  if (numbers[1] < first_denominator_ || (!is_over && numbers[1] > last_denominator_) || numbers[2] >= seeds_ ||
      (!is_found && numbers[2] % k_block_seeds != 0))
    return fail(ErrorCode::malformed, 0, 0, 0, "a position inside the limits");
  const XorModuloPosition claimed{
      .denominator = numbers[1], .seed = numbers[2], .tries = numbers[3], .is_found = is_found};
  if (is_found) {
    std::vector<std::uint32_t> stamps(static_cast<std::size_t>(claimed.denominator));
    std::uint64_t probes = 0;
    if (!is_perfect_xor_modulo<std::uint32_t>(keys_, claimed.seed, claimed.denominator, stamps, 1, probes))
      return fail(ErrorCode::malformed, 0, 0, 0, "a pair without collisions");
  }
  position_ = claimed;
  status_ = is_found ? Status::found : (is_over ? Status::exhausted : Status::searching);
  return {};
}

namespace {

/// The key of one line, without blanks and comment.
Result<std::uint64_t> parse_key(std::string_view line, std::uint32_t line_number, bool digits_are_numbers) {
  const bool is_quoted = line.size() >= 2 && (line.front() == '\'' || line.front() == '"');
  if (is_quoted && line.back() != line.front()) return fail(ErrorCode::malformed, 0, line_number, 0, "a closing quote");
  const bool is_lone_digit = line.size() == 1 && !digits_are_numbers;
  if (!is_quoted && !is_lone_digit && line.front() >= '0' && line.front() <= '9') {
    const bool is_hex = line.starts_with("0x") || line.starts_with("0X");
    const std::string_view digits = is_hex ? line.substr(2) : line;
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, is_hex ? 16 : 10);
    if (error == std::errc{} && rest == digits.data() + digits.size()) return number;
    return fail(ErrorCode::malformed, 0, line_number, 0, "a number of 64 bits, or text in quotes");
  }
  if (is_quoted) line = line.substr(1, line.size() - 2);
  if (line.empty()) return fail(ErrorCode::malformed, 0, line_number, 0, "a key of at least one character");
  if (line.size() > 8)
    return fail(ErrorCode::too_long, 0, line_number, static_cast<std::int64_t>(line.size()), "1 to 8 characters");
  std::uint64_t code = 0;
  for (const char c : line) code = code << 8U | static_cast<unsigned char>(c);
  return code;
}

}  // namespace

std::string_view key_in_line(std::string_view line) noexcept {
  if (line.starts_with('#')) return {};
  line = line.substr(0, line.find(" #"));
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

Result<std::vector<std::uint64_t>> parse_keys(std::string_view text, bool digits_are_numbers) {
  std::vector<std::uint64_t> keys;
  std::unordered_set<std::uint64_t> known;
  std::uint32_t line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const std::size_t newline = text.find('\n');
    const std::string_view line = key_in_line(text.substr(0, newline));
    text = newline == std::string_view::npos ? std::string_view{} : text.substr(newline + 1);
    if (line.empty()) continue;
    const auto key = parse_key(line, line_number, digits_are_numbers);
    if (!key) return std::unexpected(key.error());
    if (!known.insert(*key).second) return fail(ErrorCode::duplicate, 0, line_number, 0, "each key once");
    keys.push_back(*key);
  }
  return keys;
}

std::string emit_header(const HashSearch& search, std::string_view name) {
  DOJIMA_ASSERT(search.status() == HashSearch::Status::found, "only what was found can be written", search.status());
  std::string type;
  bool is_upper = true;
  for (const char c : name) {
    if (c == '_') {
      is_upper = true;
      continue;
    }
    type += is_upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    is_upper = false;
  }
  const HashPlan plan = search.plan();
  std::string text = "#pragma once\n\n// Found by `dojima fsm search`: ";
  append_number(text, plan.keys);
  text += " keys, ";
  append_number(text, plan.tries);
  text += plan.is_exhaustive ? " seeds looked at; every smaller denominator was refuted.\n"
                             : " seeds looked at; smaller denominators were not searched exhaustively.\n";
  text += "// The compiler checks the pair again.\n\n#include <array>\n#include <cstdint>\n\n";
  text +=
      "#include \"dojima/fsm/key_lookup.hpp\"\n\nstruct " + type + " {\n  static constexpr std::array<std::uint64_t, ";
  append_number(text, plan.keys);
  text += "> keys{";
  constexpr std::size_t per_line = 8;
  for (std::size_t i = 0; i < search.keys().size(); ++i) {
    text += i % per_line == 0 ? "\n      " : " ";
    append_number(text, search.keys()[i]);
    text += "U,";
  }
  text += "\n  };\n};\n\nusing " + type + "Lookup = dojima::fsm::KeyLookup<" + type + ", dojima::fsm::XorModuloOf<";
  append_number(text, plan.seed);
  text += "U, ";
  append_number(text, plan.denominator);
  text += "U>>;\n";
  return text;
}

std::string explain(const HashPlan& plan) {
  std::string text = "strategy     ";
  text += name_of(plan.strategy);
  const auto add = [&](std::string_view label, std::uint64_t number) {
    text += '\n';
    text += label;
    append_number(text, number);
  };
  add("keys         ", plan.keys);
  add("slots        ", plan.slots);
  switch (plan.strategy) {
    case Strategy::consecutive:
    case Strategy::direct:
      add("first        ", plan.seed);
      break;
    case Strategy::multiply_shift:
      add("multiplier   ", plan.seed);
      add("shift        ", plan.shift);
      break;
    case Strategy::two_level:
      add("multiplier   ", plan.seed);
      add("buckets      ", plan.displacements);
      break;
    case Strategy::xor_modulo:
      add("seed         ", plan.seed);
      add("denominator  ", plan.denominator);
      break;
    case Strategy::sorted:
      break;
  }
  add("tries        ", plan.tries);
  if (plan.strategy == Strategy::xor_modulo) text += plan.is_exhaustive ? "\nexhaustive   yes" : "\nexhaustive   no";
  text += '\n';
  return text;
}

}  // namespace dojima::fsm
