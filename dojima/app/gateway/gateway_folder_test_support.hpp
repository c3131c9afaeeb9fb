#pragma once

// A gateway's configuration with a small journal in a folder of its own, which goes with the test.

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"

namespace dojima::app {

class GatewayFolderTest : public ::testing::Test {
 protected:
  GatewayFolderTest() : folder_(std::filesystem::temp_directory_path() / "dojima-gateway-XXXXXX") {
    std::string name = folder_.string();
    folder_ = ::mkdtemp(name.data());
    config_ = default_gateway();
    config_.listen.port = 0;
    config_.journal.directory = (folder_ / "fix").string();
    config_.journal.segment_megabytes = 1;
    config_.journal.spare_segments = 1;
    config_.journal.megabytes = 8;
    config_.gateway.limits = {.orders = 1000, .requests = 2000, .remembered_ids = 1000};
  }
  ~GatewayFolderTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  GatewayConfig config_;
  std::vector<std::string> lines_;  ///< of a log
};

}  // namespace dojima::app
