# shellcheck shell=bash disable=SC2034
# Shared by the scripts here; to be sourced. Everything it says goes to standard error.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root

# Debian 12 names. What each library is for: NOTES.md.
readonly packages_build="g++ cmake ninja-build pkg-config python3 libpcap-dev libfmt-dev libcli11-dev
  libtomlplusplus-dev libarchive-dev libmnl-dev libncurses-dev libcap-ng-dev libseccomp-dev"
readonly packages_test="libtins-dev libgtest-dev libgmock-dev nlohmann-json3-dev"
readonly packages_all="clang clang-tidy libclang-rt-14-dev llvm shellcheck libxml2-utils libplist-utils clang-format tcpdump iproute2 procps tmux curl sudo man-db zsh fish lintian python3-jsonschema chromium zstd"

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# need_packages NAMES...: installs those that are missing. Silent when none is.
need_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    [ -n "${RWIN_SKIP_PACKAGES:-}" ] && return
    say "this system has no apt-get. Install these (Debian names), then set RWIN_SKIP_PACKAGES=1 and start again:"
    printf '  %s\n' "$@" >&2
    exit 1
  fi
  local installed missing=() name
  installed=" $(dpkg-query -W -f='${Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)"
  for name in "$@"; do
    [[ $installed == *" $name=installed "* ]] || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "packages are missing and there is no sudo here. As root: apt-get install ${missing[*]}"
      exit 1
    fi
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  {
    "${as_root[@]}" apt-get -qq update &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y \
        --no-install-recommends "${missing[@]}"
  } >&2 </dev/null || { say "apt-get failed: install ${missing[*]}, then start again"; exit 1; }
}

# build PRESET TARGET [PREFIX...]: configures where needed and builds TARGET (all: everything), one at a time per
# preset. Silent when nothing is to do.
build() {
  local preset=$1 target=$2 dir=$root/build/$1
  shift 2
  mkdir -p "$root/build"
  (
    flock 9
    set -o pipefail
    cd "$root" || exit 1
    if [ ! -f "$dir/build.ninja" ] || [ CMakePresets.json -nt "$dir/build.ninja" ]; then
      say "building $dir (the first time takes minutes)"
      if ! cmake --preset "$preset" >"$dir.log" 2>&1 9>&-; then
        cat "$dir.log" >&2
        exit 1
      fi
      # Without this, a preset that is newer than an unchanged build file would configure again each time.
      touch "$dir/build.ninja"
    fi
    "$@" cmake --build --preset "$preset" --target "$target" -- --quiet 9>&- 2>&1 | { grep -vE '^(ninja: no work to do|-- )' || true; } >&2
  ) 9>"$root/build/.lock-$preset" || { say "the build of preset '$preset' failed"; exit 1; }
}
