#!/bin/sh
# rwin tune --rate 250M --rtt 150ms --platform linux --format sh (Linux)
# Run as root. Values are only raised; what goes back is printed at the end.
# Takes effect at once, for new connections.
set -eu
undo=
kept=
raise() {
  old=$(sysctl -n "$1" | tr '\t' ' ')
  if [ "${old##*[!0-9]}" -ge "${2##*[!0-9]}" ]; then
    echo "$1 is $old: enough"
    return
  fi
  sysctl -w "$1=$2" >/dev/null
  new=$(sysctl -n "$1" | tr '\t' ' ')
  if [ "$new" != "$2" ]; then
    echo "$1 reads $new after $2 was written; what was changed so far is undone by:$undo" >&2
    exit 1
  fi
  echo "$1: $old -> $new"
  kept="$kept$1=$2
"
  undo="
  sysctl -w \"$1=$old\"$undo"
}

raise net.core.rmem_max '9376256'
raise net.core.wmem_max '9376256'
raise net.ipv4.tcp_window_scaling '1'
raise net.ipv4.tcp_moderate_rcvbuf '1'
raise net.ipv4.tcp_rmem '4096 131072 9376256'
raise net.ipv4.tcp_wmem '4096 16384 9376256'
if [ -z "$kept" ]; then
  echo 'Nothing to change.'
  exit 0
fi
printf '%s' "$kept" >/etc/sysctl.d/90-rwin.conf
undo="$undo
  rm /etc/sysctl.d/90-rwin.conf"
echo "Undo, as root:$undo"
