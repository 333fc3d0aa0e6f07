// write_seeds TARGET FOLDER: the target's first inputs as files, for libFuzzer.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "fuzz/seeds.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: rwin_fuzz_seeds TARGET FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = arguments[2];
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const rwin::fuzz::Bytes& seed : rwin::fuzz::seeds(arguments[1])) {
    std::ofstream out(folder / ("seed-" + std::to_string(++number)), std::ios::binary);
    out.write(reinterpret_cast<const char*>(seed.data()),
              static_cast<std::streamsize>(seed.size()));
    if (!out) return 1;
  }
  return number == 0 ? 1 : 0;
}
