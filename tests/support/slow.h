// Sanitizers make everything ten times slower, and each start of the program a third of a second:
// tests that do a thing a thousand times do a part of it there. The whole runs without them.
#pragma once

namespace rwin::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSlow = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSlow = true;
#else
inline constexpr bool kSlow = false;
#endif
#else
inline constexpr bool kSlow = false;
#endif

}  // namespace rwin::test
