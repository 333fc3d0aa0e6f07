#!/usr/bin/env bash
# task.sh LIST OUT [CHUNK [SIZE]]: analyses the captures number CHUNK x SIZE .. of LIST (a path a line; default: all) into OUT, a file a
# capture: <sha256 of the capture, 32 digits>.jsonl. Can be stopped and started again at any time: results appear whole, by renaming, and what is
# there is not done again. Exit status 1: a capture could not be read (its reason is in its result).
set -euo pipefail

rwin=${RWIN:-rwin}
list=$1 out=$2 chunk=${3:-0} size=${4:-0}
mkdir -p "$out"

if [ "$size" -gt 0 ]; then
  captures=$(sed -n "$((chunk * size + 1)),$(((chunk + 1) * size))p" "$list")
else
  captures=$(cat "$list")
fi
status=0
while IFS= read -r capture; do
  [ -n "$capture" ] || continue
  if [ ! -r "$capture" ]; then
    printf 'cannot read %s\n' "$capture" >&2
    status=1
    continue
  fi
  key=$(sha256sum <"$capture")
  key=${key:0:32}
  [ -e "$out/$key.jsonl" ] && continue
  # Exit status 4 is a capture that is cut short: what could be read is in the result.
  code=0
  "$rwin" --jsonl -j 1 "$capture" >"$out/.$key.$$" 2>/dev/null || code=$?
  case "$code" in
    0 | 4) ;;
    1) status=1 ;;
    *) rm -f "$out/.$key.$$"; exit "$code" ;;
  esac
  mv "$out/.$key.$$" "$out/$key.jsonl"
done <<<"$captures"
exit "$status"
