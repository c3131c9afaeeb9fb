// The dictionaries that are built in, made when they are first used.

#include <initializer_list>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/fix/dictionaries/dictionary_texts.hpp"
#include "dojima/fix/dictionary.hpp"

namespace dojima::fix {
namespace {

Dictionary made_from(std::initializer_list<DictionaryText> texts) {
  std::vector<DictionaryModel> models;
  for (const DictionaryText text : texts) {
    auto model = parse_dictionary(text_of(text));
    DOJIMA_ASSERT(model.has_value(), "a built-in dictionary can be read", static_cast<int>(text));
    models.push_back(*std::move(model));
  }
  auto compiled = Dictionary::compile(std::move(models));
  DOJIMA_ASSERT(compiled.has_value(), "a built-in dictionary can be compiled", static_cast<int>(*texts.begin()));
  return *std::move(compiled);
}

template <DictionaryText... k_texts>
const Dictionary& built_in() {
  static const Dictionary s_dictionary = made_from({k_texts...});
  return s_dictionary;
}

using enum DictionaryText;
using Getter = const Dictionary& (*)();

struct Version {
  std::string_view application_version;  ///< ApplVerID(1128)
  std::string_view begin_string;         ///< of its own; empty: it is only ever carried by FIXT.1.1
  Getter own, over_fixt;
};

constexpr Version k_versions[] = {
    {"2", "FIX.4.0", built_in<fix40>, built_in<fixt11, fix40>},
    {"3", "FIX.4.1", built_in<fix41>, built_in<fixt11, fix41>},
    {"4", "FIX.4.2", built_in<fix42>, built_in<fixt11, fix42>},
    {"5", "FIX.4.3", built_in<fix43>, built_in<fixt11, fix43>},
    {"6", "FIX.4.4", built_in<fix44>, built_in<fixt11, fix44>},
    {"7", "", nullptr, built_in<fixt11, fix50>},
    {"8", "", nullptr, built_in<fixt11, fix50sp1>},
    {"9", "", nullptr, built_in<fixt11, fix50sp2>},
};
constexpr std::string_view k_fixt = "FIXT.1.1";

}  // namespace

const Dictionary& fix_4_0() {
  return built_in<fix40>();
}
const Dictionary& fix_4_1() {
  return built_in<fix41>();
}
const Dictionary& fix_4_2() {
  return built_in<fix42>();
}
const Dictionary& fix_4_3() {
  return built_in<fix43>();
}
const Dictionary& fix_4_4() {
  return built_in<fix44>();
}
const Dictionary& fix_5_0() {
  return built_in<fixt11, fix50>();
}
const Dictionary& fix_5_0_sp1() {
  return built_in<fixt11, fix50sp1>();
}
const Dictionary& fix_5_0_sp2() {
  return built_in<fixt11, fix50sp2>();
}

const Dictionary& fixt_1_1() {
  return built_in<fixt11>();
}

const Dictionary* dictionary_of(std::string_view begin_string) {
  if (begin_string == k_fixt) return &fix_5_0_sp2();
  if (begin_string.empty()) return nullptr;
  for (const Version& version : k_versions) {
    if (version.begin_string == begin_string) return &version.own();
  }
  return nullptr;
}

const Dictionary* dictionary_of(std::string_view begin_string, std::string_view application_version) {
  if (begin_string != k_fixt || application_version.empty()) return dictionary_of(begin_string);
  for (const Version& version : k_versions) {
    if (version.application_version == application_version) return &version.over_fixt();
  }
  return nullptr;
}

}  // namespace dojima::fix
