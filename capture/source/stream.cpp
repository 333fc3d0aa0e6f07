#include "capture/source/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rwin::capture {
namespace {

class FileStream final : public Stream {
 public:
  // `start`: where reading begins in a regular file of `size` bytes, -1 for pipes and the like.
  FileStream(int fd, bool owned, std::int64_t start, std::int64_t size)
      : fd_(fd), owned_(owned), start_(start), size_(size) {}
  ~FileStream() override {
    if (owned_) ::close(fd_);
  }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  [[nodiscard]] double progress() const override {
    if (start_ < 0 || size_ <= start_) return -1.0;
    const off_t at = ::lseek(fd_, 0, SEEK_CUR);
    return std::clamp(static_cast<double>(at - start_) / static_cast<double>(size_ - start_), 0.0,
                      1.0);
  }

  int rewound_descriptor() override {
    return start_ >= 0 && ::lseek(fd_, start_, SEEK_SET) == start_ ? fd_ : -1;
  }

 protected:
  std::size_t fill(std::uint8_t* to, std::size_t size) override {
    const ssize_t got = ::read(fd_, to, size);
    if (got < 0) {
      set_fault(errno == EINTR ? "reading was interrupted"
                               : std::string("read error: ") + std::strerror(errno));
      return 0;
    }
    return static_cast<std::size_t>(got);
  }

 private:
  int fd_;
  bool owned_;
  std::int64_t start_;
  std::int64_t size_;
};

Error cannot_open(const std::string& path, int error) {
  Error e{ErrorCode::not_readable, "cannot read " + display_name(path) + ": ", "", -1};
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      e.message += "no such file";
      e.hint = "check the name and the folder";
      break;
    case EACCES:
    case EPERM:
      e.message += "permission denied";
      e.hint = "read it as its owner or with sudo, or make it readable: chmod +r FILE";
      break;
    case EISDIR:
      e.message += "it is a directory";
      e.hint = "name the capture files in it, for example: rwin DIRECTORY/*.pcap";
      break;
    case EMFILE:
    case ENFILE:
      e.message += "too many open files";
      e.hint = "give fewer files at once, or raise the limit: ulimit -n 65536";
      break;
    default:
      e.message += std::strerror(error);
      e.hint = "check that the file is a regular file or a pipe that can be read";
  }
  return e;
}

}  // namespace

std::size_t Stream::read(std::uint8_t* to, std::size_t size) {
  if (ahead_at_ < ahead_.size()) {
    const std::size_t n = std::min(size, ahead_.size() - ahead_at_);
    std::memcpy(to, ahead_.data() + ahead_at_, n);
    ahead_at_ += n;
    if (ahead_at_ == ahead_.size()) {
      ahead_.clear();
      ahead_at_ = 0;
    }
    return n;
  }
  return size == 0 || !fault_.empty() ? 0 : fill(to, size);
}

std::span<const std::uint8_t> Stream::peek(std::size_t size) {
  while (ahead_.size() - ahead_at_ < size && fault_.empty()) {
    const std::size_t have = ahead_.size();
    const std::size_t need = size - (have - ahead_at_);
    ahead_.resize(have + need);
    const std::size_t got = fill(ahead_.data() + have, need);
    ahead_.resize(have + got);
    if (got == 0) break;
  }
  return std::span(ahead_).subspan(ahead_at_, std::min(size, ahead_.size() - ahead_at_));
}

Result<std::unique_ptr<Stream>> open_stream(const std::string& path) {
  const bool standard_input = path == "-";
  if (standard_input && ::isatty(STDIN_FILENO) == 1) {
    return Error{ErrorCode::not_readable, "cannot read standard input: it is a terminal",
                 "pipe a capture in, for example: tcpdump -w - | rwin -r -", -1};
  }
  const int fd = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return cannot_open(path, errno);
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  if (!known || S_ISDIR(status.st_mode)) {
    const int error = known ? EISDIR : errno;
    if (!standard_input) ::close(fd);
    return cannot_open(path, error);
  }
  const off_t start = S_ISREG(status.st_mode) ? ::lseek(fd, 0, SEEK_CUR) : -1;
#ifdef POSIX_FADV_SEQUENTIAL
  if (start >= 0) (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  return std::unique_ptr<Stream>(
      std::make_unique<FileStream>(fd, !standard_input, start, std::int64_t{status.st_size}));
}

std::string printable(const std::string& text) {
  std::string out = text;
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  return out;
}

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : printable(path);
}

const std::uint8_t* Window::read_on(std::size_t size) {
  const std::size_t left = end_ - begin_;
  if (left <= Stream::kHeadroom) {
    old_.resize(left);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), left, old_.begin());
    if (const std::size_t got = stream_.exchange(buffer_); got > 0) {
      begin_ = Stream::kHeadroom - left;
      end_ = Stream::kHeadroom + got;
      std::copy_n(old_.begin(), left, buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
      if (end_ - begin_ >= size) return buffer_.data() + begin_;
    }
  }
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < size || buffer_.empty()) buffer_.resize(std::max(size, kReadBytes));
  while (end_ < size) {
    const std::size_t got = stream_.read(buffer_.data() + end_, buffer_.size() - end_);
    if (got == 0) return nullptr;
    end_ += got;
  }
  return buffer_.data();
}

bool Window::discard(std::uint64_t size) {
  for (;;) {
    const std::uint64_t here = std::min<std::uint64_t>(size, available());
    begin_ += static_cast<std::size_t>(here);
    size -= here;
    if (size == 0) return true;
    if (want(1) == nullptr) return false;
  }
}

}  // namespace rwin::capture
