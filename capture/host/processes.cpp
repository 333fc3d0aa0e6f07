#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sys/socket.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string_view>

#include "capture/host/sockets.h"

namespace rwin::capture {
namespace {

constexpr int kBufLock = 72;  // SO_BUF_LOCK, asm-generic/socket.h; SOCK_SNDBUF_LOCK 1, RCVBUF 2

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

template <class F>
void for_each_number(const std::string& path, F f) {
  const Folder folder(opendir(path.c_str()));
  if (!folder) return;  // gone, or not ours to see
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    int value = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), value);
    if (end.ec == std::errc() && end.ptr == name.data() + name.size()) f(value);
  }
}

std::string read_small(const std::string& path) {
  std::string out(4096, '\0');
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return "";
  out.resize(std::fread(out.data(), 1, out.size(), file));
  std::fclose(file);
  return out;
}

// "socket:[12345]"; 0 for anything else.
std::uint64_t socket_inode(const std::string& link) {
  std::array<char, 64> text{};
  const ssize_t n = readlink(link.c_str(), text.data(), text.size());
  constexpr std::string_view kStart = "socket:[";
  if (n <= 0) return 0;
  const std::string_view got(text.data(), static_cast<std::size_t>(n));
  if (got.substr(0, kStart.size()) != kStart) return 0;
  std::uint64_t inode = 0;
  std::from_chars(got.data() + kStart.size(), got.data() + got.size(), inode);
  return inode;
}

}  // namespace

SocketOwners::SocketOwners(std::string root) : root_(std::move(root)) {}

void SocketOwners::scan_one(pid_t pid) {
  const std::string folder = root_ + "/" + std::to_string(pid);
  std::string name;
  for_each_number(folder + "/fd", [&](int fd) {
    const std::uint64_t inode = socket_inode(folder + "/fd/" + std::to_string(fd));
    if (inode == 0) return;
    if (name.empty()) {
      name = read_small(folder + "/comm");
      while (!name.empty() && name.back() == '\n') name.pop_back();
    }
    owners_[inode] = {pid, name};
  });
}

void SocketOwners::scan() {
  owners_.clear();
  for_each_number(root_, [&](int pid) { scan_one(pid); });
}

void SocketOwners::scan(const std::vector<pid_t>& processes) {
  for (const pid_t pid : processes) scan_one(pid);
}

const Process* SocketOwners::find(std::uint64_t inode) const {
  const auto at = owners_.find(inode);
  return at == owners_.end() ? nullptr : &at->second;
}

std::vector<pid_t> process_tree(pid_t ancestor, const std::string& root) {
  std::vector<pid_t> tree{ancestor};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string tasks = root + "/" + std::to_string(tree[i]) + "/task";
    for_each_number(tasks, [&](int task) {
      const std::string text = read_small(tasks + "/" + std::to_string(task) + "/children");
      const char* p = text.data();
      const char* end = p + text.size();
      while (p < end) {
        pid_t child = 0;
        const auto read = std::from_chars(p, end, child);
        if (read.ec == std::errc()) tree.push_back(child);
        p = read.ptr + 1;
      }
    });
  }
  return tree;
}

std::optional<FixedBuffers> fixed_buffers(pid_t pid, std::uint64_t inode) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
  int number = -1;
  for_each_number(folder, [&](int fd) {
    if (number < 0 && socket_inode(folder + "/" + std::to_string(fd)) == inode) number = fd;
  });
  if (number < 0) return std::nullopt;
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0) return std::nullopt;
  const auto copy = static_cast<int>(syscall(SYS_pidfd_getfd, process, number, 0));
  ::close(process);
  if (copy < 0) return std::nullopt;
  std::optional<FixedBuffers> out;
  struct stat status {};
  int value = 0;
  socklen_t size = sizeof value;
  // The number may mean another file meanwhile.
  if (fstat(copy, &status) == 0 && status.st_ino == inode &&
      getsockopt(copy, SOL_SOCKET, kBufLock, &value, &size) == 0) {
    out = FixedBuffers{(value & 2) != 0, (value & 1) != 0};
  }
  ::close(copy);
  return out;
}

}  // namespace rwin::capture
