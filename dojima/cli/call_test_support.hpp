#pragma once

// The program called within a test, as a shell would call it: its exit status and what it wrote.

#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/cli/cli.hpp"

namespace dojima::cli {

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

/// `dojima WORDS...`
inline Outcome call(const std::vector<std::string>& words) {
  std::vector<const char*> texts{"dojima"};
  for (const std::string& word : words) texts.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run(static_cast<int>(texts.size()), texts.data());
  std::fflush(stdout);
  std::fflush(stderr);
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

/// `dojima lab WORDS...`
inline Outcome call_lab(std::vector<std::string> words) {
  words.insert(words.begin(), "lab");
  return call(words);
}

}  // namespace dojima::cli
