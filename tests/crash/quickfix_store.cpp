#include "quickfix_store.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace dojima::crash {
namespace {

std::ifstream opened(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " is not there");
  return file;
}

}  // namespace

std::string quickfix_folder(const std::string& folder) {
  return folder + "/quickfix";
}

QuickFixStore read_quickfix_store(const std::string& prefix) {
  QuickFixStore store;
  char colon = '\0', comma = '\0';
  std::ifstream numbers = opened(prefix + ".seqnums");
  if (!(numbers >> store.next_outgoing >> colon >> store.next_incoming) || colon != ':')
    throw std::runtime_error(prefix + ".seqnums has no numbers");
  std::ifstream body = opened(prefix + ".body");
  const std::string all{std::istreambuf_iterator<char>(body), {}};
  std::ifstream header = opened(prefix + ".header");
  std::uint64_t number = 0;
  std::size_t offset = 0, size = 0;
  while (header >> number >> comma >> offset >> comma >> size) {
    if (offset > all.size() || size > all.size() - offset)
      throw std::runtime_error(prefix + ".header names bytes that .body does not have");
    // One that a kill kept from being numbered was never sent; the next life gives its number to another.
    if (number < store.next_outgoing) store.messages[number] = all.substr(offset, size);
  }
  return store;
}

}  // namespace dojima::crash
