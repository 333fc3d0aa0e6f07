// LocalSockets of this machine, through its kernel.
#pragma once

#include <memory>

#include "app/live/local_socket.h"

namespace rwin::app {

// Owners of sockets are looked up once here (with the rights of now), later with those left.
std::shared_ptr<LocalSockets> host_sockets();

}  // namespace rwin::app
