// The only file that knows libarchive. It is loaded when the first input comes that is no plain
// capture: with the libraries that it needs it takes a quarter of a start, and a live capture never
// needs it.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "capture/source/stream.h"

#ifdef RWIN_WITH_ARCHIVE
#include <archive.h>
#include <dlfcn.h>

#include <cerrno>
#endif

namespace rwin::capture {
namespace {

// A compression: what unpacks it beside rwin, how files begin with it (told only where libarchive,
// which knows better, is missing), and libarchive's function for it.
struct Format {
  std::string_view name, program, magic;
  const char* filter;
};
constexpr std::array<Format, 7> kFormats = {{
    {"gzip", "gzip -dc", "\x1f\x8b", "archive_read_support_filter_gzip"},
    {"xz", "xz -dc", {"\xfd\x37zXZ\0", 6}, "archive_read_support_filter_xz"},
    {"lzma", "xz -dc", {"\x5d\0\0", 3}, "archive_read_support_filter_lzma"},
    {"zstd", "zstd -dc", "\x28\xb5\x2f\xfd", "archive_read_support_filter_zstd"},
    {"bzip2", "bzip2 -dc", "BZh", "archive_read_support_filter_bzip2"},
    {"lz4", "lz4 -dc", "\x04\x22\x4d\x18", "archive_read_support_filter_lz4"},
    {"compress", "gzip -dc", "\x1f\x9d", "archive_read_support_filter_compress"},
}};

// The stream as it is, unless it begins as a compressed one does.
Result<Unpacked> without_library(std::unique_ptr<Stream> packed, const std::string& name,
                                 const std::string& why) {
  constexpr std::size_t kLongestMagic = 6;
  const auto head = packed->peek(kLongestMagic);
  for (const Format& format : kFormats) {
    if (head.size() >= format.magic.size() &&
        std::equal(format.magic.begin(), format.magic.end(), head.begin(),
                   [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; })) {
      std::string message = name + " is ";
      message.append(format.name).append("-compressed, and ").append(why);
      std::string hint = "unpack it first: ";
      hint.append(format.program).append(" FILE | rwin -");
      return Error{ErrorCode::unsupported, std::move(message), std::move(hint), -1};
    }
  }
  return Unpacked{std::move(packed), {}};
}

#ifdef RWIN_WITH_ARCHIVE

using AddFilter = int (*)(archive*);

// libarchive's functions.
class Library {
 public:
  explicit Library(const char* name) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      const char* reason = dlerror();
      fault_ = reason == nullptr ? name : reason;
      return;
    }
    find("archive_read_new", read_new);
    find("archive_read_free", read_free);
    find("archive_read_support_format_raw", read_support_format_raw);
    find("archive_read_open", read_open);
    find("archive_read_next_header", read_next_header);
    find("archive_read_data", read_data);
    find("archive_filter_count", filter_count);
    find("archive_filter_name", filter_name);
    find("archive_error_string", error_string);
    find("archive_set_error", set_error);
    for (std::size_t i = 0; i < kFormats.size(); ++i) find(kFormats[i].filter, add_filter[i]);
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Why it cannot be used; empty: it can.
  [[nodiscard]] const std::string& fault() const { return fault_; }

  // A libarchive built without a library falls back to starting that program and says so with
  // ARCHIVE_WARN: such a filter is left out. Tried on a handle of its own, as a filter cannot be
  // removed again.
  [[nodiscard]] bool built_in(AddFilter add) const {
    archive* probe = read_new();
    const bool good = probe != nullptr && add(probe) == ARCHIVE_OK;
    read_free(probe);
    return good;
  }

  decltype(&archive_read_new) read_new{};
  decltype(&archive_read_free) read_free{};
  decltype(&archive_read_support_format_raw) read_support_format_raw{};
  decltype(&archive_read_open) read_open{};
  decltype(&archive_read_next_header) read_next_header{};
  decltype(&archive_read_data) read_data{};
  decltype(&archive_filter_count) filter_count{};
  decltype(&archive_filter_name) filter_name{};
  decltype(&archive_error_string) error_string{};
  decltype(&archive_set_error) set_error{};
  std::array<AddFilter, kFormats.size()> add_filter{};

 private:
  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (function == nullptr) fault_ = std::string("it has no ") + name;
  }

  void* handle_;
  std::string fault_;
};

// The one of RWIN_ARCHIVE_FILE, loaded at the first call.
const Library& library() {
  static const Library loaded(RWIN_ARCHIVE_FILE);
  return loaded;
}

class UnpackStream final : public Stream {
 public:
  UnpackStream(const Library& library, std::unique_ptr<Stream> packed)
      : library_(library), packed_(std::move(packed)), handle_(library_.read_new()) {
    for (const AddFilter add : library_.add_filter) {
      if (library_.built_in(add)) add(handle_);
    }
    library_.read_support_format_raw(handle_);
  }
  ~UnpackStream() override { library_.read_free(handle_); }
  UnpackStream(const UnpackStream&) = delete;
  UnpackStream& operator=(const UnpackStream&) = delete;

  // False with the reason in fault(); an empty content is no fault.
  bool start() {
    if (library_.read_open(handle_, this, nullptr, read_packed, nullptr) != ARCHIVE_OK)
      return refuse();
    archive_entry* entry = nullptr;
    const int result = library_.read_next_header(handle_, &entry);
    if (result == ARCHIVE_EOF) {
      empty_ = true;
      return true;
    }
    return result == ARCHIVE_OK || result == ARCHIVE_WARN || refuse();
  }

  // Names of the filters in use, the outermost last; "" when there is none.
  [[nodiscard]] std::string packing() const {
    std::string names;
    for (int i = 0; i + 1 < library_.filter_count(handle_); ++i) {
      if (i > 0) names += " + ";
      names += library_.filter_name(handle_, i);
    }
    return names;
  }

  [[nodiscard]] double progress() const override { return packed_->progress(); }

 protected:
  std::size_t fill(std::uint8_t* to, std::size_t size) override {
    if (empty_) return 0;
    const la_ssize_t got = library_.read_data(handle_, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    refuse();
    return 0;
  }

 private:
  [[nodiscard]] std::string error_text() const {
    const char* text = library_.error_string(handle_);
    return text == nullptr ? "damaged or cut" : printable(text);
  }

  bool refuse() {
    const std::string& below = packed_->fault();
    const std::string names = packing();
    set_fault(!below.empty() ? below
                             : (names.empty() ? "compressed" : names) + " data damaged or cut (" +
                                   error_text() + ")");
    return false;
  }

  static la_ssize_t read_packed(archive* handle, void* self, const void** data) {
    auto* stream = static_cast<UnpackStream*>(self);
    *data = stream->buffer_.data();
    const std::size_t got = stream->packed_->read(stream->buffer_.data(), stream->buffer_.size());
    if (got == 0 && !stream->packed_->fault().empty()) {
      stream->library_.set_error(handle, EIO, "%s", stream->packed_->fault().c_str());
      return -1;
    }
    return static_cast<la_ssize_t>(got);
  }

  const Library& library_;
  std::unique_ptr<Stream> packed_;
  archive* handle_;
  std::array<std::uint8_t, kReadBytes / 4> buffer_{};
  bool empty_ = false;
};

#endif

}  // namespace

Result<Unpacked> unpack(std::unique_ptr<Stream> packed, const std::string& name) {
#ifdef RWIN_WITH_ARCHIVE
  if (const std::string& fault = library().fault(); !fault.empty()) {
    return without_library(std::move(packed), name,
                           "libarchive cannot be loaded (" + printable(fault) + ")");
  }
  auto stream = std::make_unique<UnpackStream>(library(), std::move(packed));
  if (!stream->start()) {
    return Error{ErrorCode::not_a_capture,
                 name + ": " + stream->fault() + " before the first packet",
                 "copy the file again; if it is still being written, wait until that is done", -1};
  }
  Unpacked result;
  result.packing = stream->packing();
  result.stream = std::move(stream);
  return result;
#else
  return without_library(std::move(packed), name, "this rwin was built without libarchive");
#endif
}

}  // namespace rwin::capture
