#include "capture/host/routes.h"

#ifdef RWIN_WITH_MNL

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <array>
#include <cerrno>
#include <optional>

#include "capture/host/durable_file.h"

namespace rwin::capture {
namespace {

std::string address_text(int family, const nlattr* attribute) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const std::size_t size = family == AF_INET ? 4 : 16;
  if (mnl_attr_get_payload_len(attribute) < size) return {};
  inet_ntop(family, mnl_attr_get_payload(attribute), text.data(), text.size());
  return text.data();
}

// The attributes between `first` and `end`, one after the other. (libmnl's own loops are C only.)
template <class Take>
void for_each(const void* first, const void* end, Take take) {
  const auto* attribute = static_cast<const nlattr*>(first);
  const auto left = [&] {
    return static_cast<int>(static_cast<const char*>(end) -
                            reinterpret_cast<const char*>(attribute));
  };
  for (; mnl_attr_ok(attribute, left()); attribute = mnl_attr_next(attribute)) take(attribute);
}

// Metrics that `ip route` takes as a word and a number.
const char* metric_word(unsigned type) {
  switch (type) {
    case RTAX_MTU:
      return "mtu";
    case RTAX_ADVMSS:
      return "advmss";
    case RTAX_INITCWND:
      return "initcwnd";
    case RTAX_INITRWND:
      return "initrwnd";
    case RTAX_CWND:
      return "cwnd";
    case RTAX_QUICKACK:
      return "quickack";
    case RTAX_REORDERING:
      return "reordering";
    case RTAX_HOPLIMIT:
      return "hoplimit";
    default:
      return nullptr;
  }
}

// The attributes of one message, put together once all are known.
struct Parts {
  Route route;
  std::string gateway, source, metrics;
  std::optional<std::uint32_t> priority;
  std::uint32_t table = RT_TABLE_MAIN;
  bool whole = true;  // nothing unknown in it
};

void take_metrics(const nlattr* nest, Parts& parts) {
  const auto* inside = static_cast<const char*>(mnl_attr_get_payload(nest));
  for_each(inside, inside + mnl_attr_get_payload_len(nest), [&](const nlattr* attribute) {
    const unsigned type = mnl_attr_get_type(attribute);
    if (mnl_attr_get_payload_len(attribute) < sizeof(std::uint32_t)) {
      parts.whole = false;
      return;
    }
    const std::uint32_t value = mnl_attr_get_u32(attribute);
    if (type == RTAX_WINDOW) {
      parts.route.window = value;
      return;
    }
    if (type == RTAX_INITRWND) parts.route.initrwnd = value;
    const char* word = metric_word(type);
    if (word == nullptr) {
      parts.whole = false;
    } else {
      parts.metrics += std::string(" ") + word + " " + std::to_string(value);
    }
  });
}

void take(int family, const nlattr* attribute, Parts& parts) {
  std::array<char, IF_NAMESIZE> name{};
  switch (mnl_attr_get_type(attribute)) {
    case RTA_DST:
      parts.route.destination = address_text(family, attribute);
      break;
    case RTA_GATEWAY:
      parts.gateway = address_text(family, attribute);
      break;
    case RTA_PREFSRC:
      parts.source = address_text(family, attribute);
      break;
    case RTA_OIF:
      if (if_indextoname(mnl_attr_get_u32(attribute), name.data()) != nullptr)
        parts.route.device = name.data();
      break;
    case RTA_PRIORITY:
      parts.priority = mnl_attr_get_u32(attribute);
      break;
    case RTA_TABLE:
      parts.table = mnl_attr_get_u32(attribute);
      break;
    case RTA_METRICS:
      take_metrics(attribute, parts);
      break;
    case RTA_CACHEINFO:
    case RTA_PREF:
      break;
    default:  // several hops, encapsulation, ...
      parts.whole = false;
  }
}

int on_route(const nlmsghdr* message, void* data) {
  auto& routes = *static_cast<std::vector<Route>*>(data);
  const auto* head = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(message));
  if (head->rtm_type != RTN_UNICAST || (head->rtm_flags & RTM_F_CLONED) != 0) return MNL_CB_OK;
  const bool v6 = head->rtm_family == AF_INET6;
  Parts parts;
  for_each(mnl_nlmsg_get_payload_offset(message, sizeof(rtmsg)),
           mnl_nlmsg_get_payload_tail(message),
           [&](const nlattr* attribute) { take(head->rtm_family, attribute, parts); });
  if (parts.table == RT_TABLE_LOCAL) return MNL_CB_OK;
  std::string& destination = parts.route.destination;
  if (destination.empty()) {
    destination = "default";
  } else if (head->rtm_dst_len != (v6 ? 128 : 32)) {
    destination += "/" + std::to_string(head->rtm_dst_len);
  }
  if (parts.whole && !parts.route.device.empty()) {
    // A default route does not show its family.
    std::string words = (v6 && destination == "default" ? "::/0" : destination);
    if (!parts.gateway.empty()) words += " via " + parts.gateway;
    words += " dev " + parts.route.device;
    if (head->rtm_protocol != RTPROT_BOOT)
      words += " proto " + std::to_string(static_cast<int>(head->rtm_protocol));
    if (!v6 && head->rtm_scope == RT_SCOPE_LINK) words += " scope link";
    if (parts.table != RT_TABLE_MAIN) words += " table " + std::to_string(parts.table);
    if (!parts.source.empty()) words += " src " + parts.source;
    if (parts.priority) words += " metric " + std::to_string(*parts.priority);
    parts.route.words = words + parts.metrics;
  }
  routes.push_back(std::move(parts.route));
  return MNL_CB_OK;
}

std::optional<Error> dump(mnl_socket* socket, unsigned char family, std::vector<Route>& routes) {
  std::vector<char> buffer(static_cast<std::size_t>(MNL_SOCKET_BUFFER_SIZE));
  nlmsghdr* request = mnl_nlmsg_put_header(buffer.data());
  request->nlmsg_type = RTM_GETROUTE;
  request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request->nlmsg_seq = family;
  auto* head = static_cast<rtmsg*>(mnl_nlmsg_put_extra_header(request, sizeof(rtmsg)));
  head->rtm_family = family;
  const unsigned port = mnl_socket_get_portid(socket);
  if (mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
    return system_error("cannot read the routes");
  int state = MNL_CB_OK;
  while (state > MNL_CB_STOP) {
    const ssize_t n = mnl_socket_recvfrom(socket, buffer.data(), buffer.size());
    if (n < 0) return system_error("cannot read the routes");
    state = mnl_cb_run(buffer.data(), static_cast<std::size_t>(n), family, port, on_route, &routes);
  }
  if (state < 0) return system_error("cannot read the routes");
  return std::nullopt;
}

}  // namespace

Result<std::vector<Route>> read_routes() {
  mnl_socket* socket = mnl_socket_open(NETLINK_ROUTE);
  if (socket == nullptr || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0) {
    const Error error = system_error("cannot ask for the routes");
    if (socket != nullptr) mnl_socket_close(socket);
    return error;
  }
  std::vector<Route> routes;
  std::optional<Error> error;
  for (const unsigned char family : {AF_INET, AF_INET6}) {
    if (!error) error = dump(socket, family, routes);
  }
  mnl_socket_close(socket);
  if (error) return *error;
  return routes;
}

}  // namespace rwin::capture

#else

namespace rwin::capture {

Result<std::vector<Route>> read_routes() {
  return Error{ErrorCode::unsupported, "this rwin was built without libmnl: no routes of this host",
               "build it with RWIN_WITH_MNL=ON", -1};
}

}  // namespace rwin::capture

#endif
