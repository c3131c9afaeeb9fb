#pragma once

// An acceptor of QuickFIX that sends every message of the application back: its session layer with its file store.
// Compiled as C++14, as its headers need.

#include <cstdint>
#include <memory>
#include <string>

namespace dojima::bench {

class QuickFixEcho {
 public:
  /// `folder` is for its store.
  /// Its store and `dictionary`, XML, go into `folder`.
  QuickFixEcho(std::uint16_t port, const std::string& folder, const std::string& dictionary);
  ~QuickFixEcho();
  QuickFixEcho(const QuickFixEcho&) = delete;
  QuickFixEcho& operator=(const QuickFixEcho&) = delete;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dojima::bench
