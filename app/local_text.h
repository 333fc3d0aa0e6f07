// This host's end of a live connection in the text report.
#pragma once

#include <string>
#include <vector>

#include "app/live/local_socket.h"
#include "rules/assess.h"

namespace rwin::app {

// Whose it is and what the kernel says of the direction that this host sends (`sends`) or receives;
// empty: nothing to tell.
std::string local_text(const LocalSocket& local, bool sends);

// "net.ipv4.tcp_rmem: 4096 131072 6291456 -> ...", where `advice` is for this host; `end` is its
// address in the connection.
std::vector<std::string> now_and_new(const rules::Advice& advice, const LocalSocket& local,
                                     const analysis::Address& end);

}  // namespace rwin::app
