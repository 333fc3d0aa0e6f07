#!/usr/bin/env bash
# Style checks that need a tool: tool_test.sh shellcheck|format. Exit status 77 (skipped) where the tool is absent.
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
  *) echo "usage: tool_test.sh shellcheck|format" >&2; exit 2 ;;
esac
