#include "app/dashboard/host_names.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "text/text.h"

namespace rwin::app {

struct HostNames::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<analysis::Address> waiting;
  std::set<analysis::Address> asked;
  std::vector<std::pair<analysis::Address, std::string>> answers;
  bool over = false;
};

namespace {

constexpr std::size_t kMost = 4096;
constexpr int kThreads = 2;

std::string look_up(const analysis::Address& address) {
  char host[NI_MAXHOST] = {};
  int result = EAI_FAMILY;
  if (address.family == 4) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    std::memcpy(&a.sin_addr, address.bytes.data(), 4);
    result = getnameinfo(reinterpret_cast<const sockaddr*>(&a), sizeof a, host, sizeof host,
                         nullptr, 0, NI_NAMEREQD);
  } else if (address.family == 6) {
    sockaddr_in6 a{};
    a.sin6_family = AF_INET6;
    std::memcpy(&a.sin6_addr, address.bytes.data(), 16);
    result = getnameinfo(reinterpret_cast<const sockaddr*>(&a), sizeof a, host, sizeof host,
                         nullptr, 0, NI_NAMEREQD);
  }
  // What a name server says comes from outside.
  return result == 0 ? escape_terminal(host, true) : std::string();
}

template <class Shared>
void answer(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  while (true) {
    shared->changed.wait(lock, [&] { return shared->over || !shared->waiting.empty(); });
    if (shared->over) return;
    const analysis::Address address = shared->waiting.front();
    shared->waiting.pop_front();
    lock.unlock();
    std::string name = look_up(address);
    lock.lock();
    if (!name.empty()) shared->answers.emplace_back(address, std::move(name));
  }
}

}  // namespace

HostNames::HostNames() : shared_(std::make_shared<Shared>()) {}

HostNames::~HostNames() {
  const std::lock_guard lock(shared_->mutex);
  shared_->over = true;
  shared_->changed.notify_all();
}

void HostNames::ask(const analysis::Address& address) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->asked.size() >= kMost || !shared_->asked.insert(address).second) return;
  shared_->waiting.push_back(address);
  shared_->changed.notify_one();
  if (started_) return;
  started_ = true;
  // A name server may take half a minute: the threads are left to themselves. Signals are for the
  // others.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int i = 0; i < kThreads; ++i) std::thread([shared = shared_] { answer(shared); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::vector<std::pair<analysis::Address, std::string>> HostNames::take() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->answers, {});
}

}  // namespace rwin::app
