#include "fuzz/targets.h"

namespace rwin::fuzz {

std::span<const Target> targets() {
  static constexpr Target kTargets[] = {
      {"decode", decode, 1024},
      {"tcp_options", tcp_options, 64},
      {"differential", differential, 256},
      {"capture_file", capture_file, 4096},
      {"rules_file", rules_file, 2048},
      {"filter_text", filter_text, 96},
      {"command_line", command_line, 256},
      {"settings", settings, 512},
      {"outside_text", outside_text, 128},
      {"flow", flow, 2048},
      {"report", report, 4096},
  };
  return kTargets;
}

}  // namespace rwin::fuzz
