// The only file that knows libarchive.
#ifdef RWIN_WITH_ARCHIVE

#include <archive.h>

#include <array>
#include <cerrno>
#include <utility>

#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

using AddFilter = int (*)(archive*);

constexpr std::array<AddFilter, 7> kFilters = {
    archive_read_support_filter_gzip,    archive_read_support_filter_xz,
    archive_read_support_filter_lzma,    archive_read_support_filter_zstd,
    archive_read_support_filter_bzip2,   archive_read_support_filter_lz4,
    archive_read_support_filter_compress};

// A libarchive built without a library falls back to starting that program and says so with
// ARCHIVE_WARN: such a filter is left out. Tried on a handle of its own, as a filter cannot be
// removed again.
bool built_in(AddFilter add) {
  archive* probe = archive_read_new();
  const bool good = probe != nullptr && add(probe) == ARCHIVE_OK;
  archive_read_free(probe);
  return good;
}

std::string error_text(archive* handle) {
  const char* text = archive_error_string(handle);
  return text == nullptr ? "damaged or cut" : printable(text);
}

class UnpackStream final : public Stream {
 public:
  explicit UnpackStream(std::unique_ptr<Stream> packed)
      : packed_(std::move(packed)), handle_(archive_read_new()) {
    for (const AddFilter add : kFilters) {
      if (built_in(add)) add(handle_);
    }
    archive_read_support_format_raw(handle_);
  }
  ~UnpackStream() override { archive_read_free(handle_); }
  UnpackStream(const UnpackStream&) = delete;
  UnpackStream& operator=(const UnpackStream&) = delete;

  // False with the reason in fault(); an empty content is no fault.
  bool start() {
    if (archive_read_open(handle_, this, nullptr, read_packed, nullptr) != ARCHIVE_OK)
      return refuse();
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(handle_, &entry);
    if (result == ARCHIVE_EOF) {
      empty_ = true;
      return true;
    }
    return result == ARCHIVE_OK || result == ARCHIVE_WARN || refuse();
  }

  // Names of the filters in use, the outermost last; "" when there is none.
  [[nodiscard]] std::string packing() const {
    std::string names;
    for (int i = 0; i + 1 < archive_filter_count(handle_); ++i) {
      if (i > 0) names += " + ";
      names += archive_filter_name(handle_, i);
    }
    return names;
  }

  [[nodiscard]] double progress() const override { return packed_->progress(); }

 protected:
  std::size_t fill(std::uint8_t* to, std::size_t size) override {
    if (empty_) return 0;
    const la_ssize_t got = archive_read_data(handle_, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    refuse();
    return 0;
  }

 private:
  bool refuse() {
    const std::string& below = packed_->fault();
    const std::string names = packing();
    set_fault(!below.empty() ? below
                             : (names.empty() ? "compressed" : names) + " data damaged or cut (" +
                                   error_text(handle_) + ")");
    return false;
  }

  static la_ssize_t read_packed(archive* handle, void* self, const void** data) {
    auto* stream = static_cast<UnpackStream*>(self);
    *data = stream->buffer_.data();
    const std::size_t got = stream->packed_->read(stream->buffer_.data(), stream->buffer_.size());
    if (got == 0 && !stream->packed_->fault().empty()) {
      archive_set_error(handle, EIO, "%s", stream->packed_->fault().c_str());
      return -1;
    }
    return static_cast<la_ssize_t>(got);
  }

  std::unique_ptr<Stream> packed_;
  archive* handle_;
  std::array<std::uint8_t, kReadBytes / 4> buffer_{};
  bool empty_ = false;
};

}  // namespace

Result<Unpacked> unpack(std::unique_ptr<Stream> packed, const std::string& name) {
  auto stream = std::make_unique<UnpackStream>(std::move(packed));
  if (!stream->start()) {
    return Error{ErrorCode::not_a_capture,
                 name + ": " + stream->fault() + " before the first packet",
                 "copy the file again; if it is still being written, wait until that is done", -1};
  }
  Unpacked result;
  result.packing = stream->packing();
  result.stream = std::move(stream);
  return result;
}

}  // namespace rwin::capture

#else

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

// What a file begins with, and what unpacks it.
struct Packed {
  std::string_view magic, name, program;
};
constexpr std::array<Packed, 7> kPacked = {{
    {"\x1f\x8b", "gzip", "gzip -dc"},
    {{"\xfd"
      "7zXZ\0",
      6},
     "xz",
     "xz -dc"},
    {"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"},
    {"BZh", "bzip2", "bzip2 -dc"},
    {"\x04\x22\x4d\x18", "lz4", "lz4 -dc"},
    {"\x1f\x9d", "compress", "gzip -dc"},
    {{"\x5d\0\0", 3}, "lzma", "xz -dc"},
}};

}  // namespace

// Nothing is unpacked: what is not compressed passes unchanged.
Result<Unpacked> unpack(std::unique_ptr<Stream> packed, const std::string& name) {
  const auto head = packed->peek(6);
  for (const Packed& one : kPacked) {
    if (head.size() >= one.magic.size() &&
        std::equal(one.magic.begin(), one.magic.end(), head.begin(),
                   [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; })) {
      return Error{ErrorCode::unsupported,
                   name + " is " + std::string(one.name) +
                       "-compressed, and this rwin was built without libarchive",
                   "unpack it first: " + std::string(one.program) + " FILE | rwin -", -1};
    }
  }
  return Unpacked{std::move(packed), {}};
}

}  // namespace rwin::capture

#endif
