#include "work.hpp"

#include <charconv>
#include <cstring>

namespace dojima::bench {
namespace {

char* append(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

}  // namespace

void write_message(Session& session, std::uint32_t number) {
  session.value = session.value * 6364136223846793005U + number;
  char* const begin = session.text.data();
  char* const end = begin + session.text.size();
  char* at = append(begin, "35=8\00111=");
  at = std::to_chars(at, end, session.value >> 40U).ptr;
  at = append(at, "\00138=");
  at = std::to_chars(at, end, 100 + number).ptr;
  at = append(at, "\00144=");
  at = std::to_chars(at, end, 1000 + session.value % 997).ptr;
  std::uint32_t sum = 0;
  for (const char* c = begin; c != at; ++c) sum += static_cast<unsigned char>(*c);
  at = append(at, "\00110=");
  *at++ = static_cast<char>('0' + sum / 100 % 10);
  *at++ = static_cast<char>('0' + sum / 10 % 10);
  *at++ = static_cast<char>('0' + sum % 10);
  session.value += sum;
}

std::vector<std::uint16_t> stream(std::string_view kind, std::size_t count, std::uint64_t seed) {
  measure::Random random(seed);
  std::vector<std::uint16_t> numbers(k_events);
  std::size_t last = random.below(count);
  for (std::uint16_t& number : numbers) {
    if (kind == "random" || (kind == "markov" && random.below(10) == 0))
      last = random.below(count);
    else if (kind == "markov")
      last = (last + 1) % count;
    number = static_cast<std::uint16_t>(last);
  }
  return numbers;
}

}  // namespace dojima::bench
