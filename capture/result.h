// Result<T>: a value, or an error a person can act on. No exceptions cross a folder border.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace rwin::capture {

enum class ErrorCode : std::uint8_t {
  not_readable,
  not_a_capture,
  bad_filter,
  unsupported,
  missing_privilege
};

struct Error {
  ErrorCode code = ErrorCode::not_readable;
  std::string message;  // one line: what was tried and what went wrong
  std::string hint;     // one line: what to do next
  int position = -1;    // bad_filter: byte offset of the fault in the expression, -1 unknown
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : v_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : v_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return v_.index() == 0; }
  [[nodiscard]] explicit operator bool() const { return ok(); }
  [[nodiscard]] T& value() { return std::get<0>(v_); }
  [[nodiscard]] const T& value() const { return std::get<0>(v_); }
  [[nodiscard]] const Error& error() const { return std::get<1>(v_); }

 private:
  std::variant<T, Error> v_;
};

}  // namespace rwin::capture
