#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/run.h"

int main(int argc, char** argv) {
  try {
    return rwin::app::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& e) {
    // Memory ran out, or a fault of ours: say so rather than abort without a word.
    std::fprintf(stderr, "rwin: internal error: %s\n", e.what());
    return 1;
  }
}
