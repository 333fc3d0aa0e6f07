#include "capture/source/filter.h"

#include <pcap/pcap.h>

#include <utility>

#include "capture/source/source.h"
#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

constexpr int kLongestPacket = 262'144;  // libpcap's own maximum for most link types

// Compiles into `program`; empty when good.
std::string compile(const std::string& expression, std::uint32_t link_type, bpf_program* program) {
  pcap_t* dead = pcap_open_dead(static_cast<int>(link_type), kLongestPacket);
  if (dead == nullptr) return "out of memory";
  std::string message;
  if (pcap_compile(dead, program, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0)
    message = pcap_geterr(dead);
  pcap_close(dead);
  return message;
}

// Faults that no other link type would cure.
bool final_fault(const std::string& message) {
  return message.find("syntax error") != std::string::npos || message.rfind("unknown", 0) == 0 ||
         message.rfind("illegal", 0) == 0 || message.rfind("invalid", 0) == 0;
}

}  // namespace

struct Filter::Program {
  std::uint32_t link_type = 0;
  bool good = false;
  std::string message;
  bpf_program code{};

  ~Program() {
    if (good) pcap_freecode(&code);
  }
};

Filter::Filter(std::string expression)
    : expression_(std::move(expression)),
      active_(expression_.find_first_not_of(" \t\r\n") != std::string::npos) {}

Filter::~Filter() = default;

Filter::Program& Filter::program_for(std::uint32_t link_type) {
  for (const auto& program : programs_) {
    if (program->link_type == link_type) return *program;
  }
  auto program = std::make_unique<Program>();
  program->link_type = link_type;
  program->message = compile(expression_, link_type, &program->code);
  program->good = program->message.empty();
  programs_.push_back(std::move(program));
  return *programs_.back();
}

const std::string* Filter::prepare(std::uint32_t link_type) {
  if (!active_) return nullptr;
  const Program& program = program_for(link_type);
  return program.good ? nullptr : &program.message;
}

bool Filter::matches(const RawPacket& packet) {
  if (!active_) return true;
  const Program& program = program_for(packet.link_type);
  if (!program.good) return false;
  pcap_pkthdr header{};
  header.caplen = packet.captured;
  header.len = packet.original;
  return pcap_offline_filter(&program.code, &header, packet.data) != 0;
}

Error Filter::refusal(std::uint32_t link_type) {
  const std::string message = program_for(link_type).message;
  const int position = fault_position(expression_, message, link_type);
  const bool elsewhere = compile_message(expression_, DLT_EN10MB).empty();
  Error error{ErrorCode::bad_filter, "bad filter: " + fault_message(expression_, message, position),
              "man pcap-filter has the words, for example: host 198.51.100.7 and port 443",
              position};
  if (elsewhere) {
    const char* name = pcap_datalink_val_to_name(static_cast<int>(link_type));
    error.message +=
        " (link type " + (name != nullptr ? std::string(name) : std::to_string(link_type)) + ")";
    error.hint =
        "this link type cannot be filtered by these words: read the capture without a filter";
  }
  return error;
}

std::string compile_message(const std::string& expression, std::uint32_t link_type) {
  bpf_program program{};
  std::string message = compile(expression, link_type, &program);
  if (message.empty()) pcap_freecode(&program);
  return message;
}

bool filter_ok(const std::string& filter, FilterFault& fault) {
  fault = FilterFault{};
  const std::string message = compile_message(filter, DLT_EN10MB);
  if (message.empty()) return true;
  if (!final_fault(message)) {
    // Words of other link types: "type mgt subtype beacon", "ifname eth0", ...
    for (const int other :
         {DLT_IEEE802_11_RADIO, DLT_LINUX_SLL2, DLT_PFLOG, DLT_SUNATM, DLT_MTP2}) {
      if (compile_message(filter, static_cast<std::uint32_t>(other)).empty()) return true;
    }
  }
  fault.position = fault_position(filter, message, DLT_EN10MB);
  fault.message = fault_message(filter, message, fault.position);
  return false;
}

}  // namespace rwin::capture
