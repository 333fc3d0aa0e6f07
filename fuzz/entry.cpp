// libFuzzer's entry, compiled once for each target.
#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rwin::fuzz::RWIN_FUZZ_TARGET({data, size});
  return 0;
}
