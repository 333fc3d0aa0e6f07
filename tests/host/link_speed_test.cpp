#include "capture/host/link_speed.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace rwin::capture {
namespace {

// A tree that stands for "/".
class LinkSpeed : public testing::Test {
 protected:
  void SetUp() override {
    // Of this test alone: others of this file run at the same time.
    root_ = testing::TempDir() + "/link-speed-XXXXXX";
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void device(const std::string& name, const std::string& speed, bool real = true) {
    const std::string folder = root_ + "/sys/class/net/" + name;
    std::filesystem::create_directories(folder + (real ? "/device" : ""));
    if (!speed.empty()) std::ofstream(folder + "/speed") << speed << "\n";
  }
  std::string root_;
};

TEST_F(LinkSpeed, IsInBitsPerSecond) {
  device("eth0", "1000");
  EXPECT_EQ(link_speed_bps(root_, "eth0"), 1e9);
}

TEST_F(LinkSpeed, WhatHasNoneHasNone) {
  device("down", "-1");
  device("wlan0", "");
  device("tap0", "10", false);  // virtual: invented
  for (const char* name : {"down", "wlan0", "tap0", "missing", "any", "", "../net/down"})
    EXPECT_EQ(link_speed_bps(root_, name), std::nullopt) << name;
}

TEST_F(LinkSpeed, TheSlowestCountsAndAllMustTell) {
  device("eth0", "1000");
  device("eth1", "100");
  device("wlan0", "");
  EXPECT_EQ(slowest_link_bps(root_, {"eth0", "eth1"}), 1e8);
  EXPECT_EQ(slowest_link_bps(root_, {"eth0", "wlan0"}), std::nullopt);
  EXPECT_EQ(slowest_link_bps(root_, {}), std::nullopt);
}

}  // namespace
}  // namespace rwin::capture
