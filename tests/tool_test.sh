#!/usr/bin/env bash
# Style checks that need a tool: tool_test.sh shellcheck|format|portability. Exit status 77 (skipped) where the tool is absent.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

need() {
  command -v "$1" >/dev/null || { echo "skipped: $1 is not installed (scripts/test --all installs it)"; exit 77; }
}

case "$1" in
  shellcheck)
    need shellcheck
    mapfile -t files < <(grep -rlE '^#!.*\b(ba)?sh$' --exclude-dir=build --exclude-dir=.git .)
    shellcheck -x "${files[@]}" scripts/lib.sh
    ;;
  format)
    need clang-format
    # Other versions break lines elsewhere.
    clang-format --version | grep -q 'version 14\.' || { echo "skipped: not clang-format 14"; exit 77; }
    find . -path ./build -prune -o \( -name '*.cpp' -o -name '*.h' \) -print0 |
      xargs -0 -n 20 clang-format --dry-run -Werror --style=file || { echo "scripts/format puts it right"; exit 1; }
    ;;
  portability)
    # What other systems get, compiled with this one's headers: docs/portability.md.
    need g++
    mapfile -t files < <(grep -rl '__linux__' --include='*.cpp' analysis app capture rules text tui)
    [ "${#files[@]}" -ge 5 ] || { echo "only ${#files[@]} files have branches for other systems"; exit 1; }
    for file in "${files[@]}"; do
      g++ -std=c++20 -fsyntax-only -U__linux__ -Wall -Wextra -Wshadow -Werror -DRWIN_VERSION='""' -I. "$file"
    done
    ;;
  *) echo "usage: tool_test.sh shellcheck|format|portability" >&2; exit 2 ;;
esac
