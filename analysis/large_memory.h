// Memory for large tables: asked for in huge pages where the system has them (madvise), a
// quarter less time in all where page faults are dear, as in virtual machines. Elsewhere plain
// memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace rwin::analysis {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// At least `bytes`, aligned for huge pages. Throws std::bad_alloc.
inline void* allocate_large(std::size_t bytes) {
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  madvise(memory, whole, MADV_HUGEPAGE);  // only a wish: refused is as good
#endif
  return memory;
}

// Slabs of memory, all of them held until the end. Each is twice as large as the one before, up to
// a huge page: many inputs need little.
class SlabSource {
 public:
  struct Slab {
    void* memory;
    std::size_t bytes;
  };
  // Aligned for cache lines.
  Slab next() {
    const std::size_t bytes =
        std::min(kFirst << std::min<std::size_t>(slabs_.size(), 16), kHugePage);
    void* memory = bytes < kHugePage ? std::aligned_alloc(64, bytes) : allocate_large(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    slabs_.emplace_back(memory);
    return {memory, bytes};
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  static constexpr std::size_t kFirst = 4096;
  std::vector<std::unique_ptr<void, Free>> slabs_;
};

// What other threads give back, until the owner takes all of it. Node has `next`. Without a lock:
// chains are only put in front or taken all at once, so that no node leaves and comes back between
// a look at the first and its exchange (ABA).
template <class Node>
class Returns {
 public:
  // A chain from `first` to `last`.
  void give(Node* first, Node* last) {
    last->next = given_.load(std::memory_order_relaxed);
    while (!given_.compare_exchange_weak(last->next, first, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
  }
  // All of it, nullptr for nothing.
  Node* take() {
    if (given_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return given_.exchange(nullptr, std::memory_order_acquire);
  }

 private:
  std::atomic<Node*> given_ = nullptr;
};

// Objects from slabs; the place of a deleted one is used again. One thread makes them, any may
// delete them; all must be gone before the pool.
template <class T>
class ObjectPool {
 public:
  struct Delete {
    ObjectPool* pool = nullptr;
    void operator()(T* object) const {
      object->~T();
      pool->give(object);
    }
  };
  using Pointer = std::unique_ptr<T, Delete>;

  template <class... Arguments>
  Pointer make(Arguments&&... arguments) {
    void* place = take();
    return Pointer(::new (place) T(std::forward<Arguments>(arguments)...), Delete{this});
  }

 private:
  struct Place {
    Place* next;
  };
  static_assert(sizeof(T) >= sizeof(Place));
  void* take() {
    if (free_ == nullptr) free_ = given_.take();
    if (free_ != nullptr) return std::exchange(free_, free_->next);
    if (left_ < sizeof(T)) {
      const SlabSource::Slab slab = source_.next();
      at_ = static_cast<std::byte*>(slab.memory);
      left_ = slab.bytes;
    }
    left_ -= sizeof(T);
    return std::exchange(at_, at_ + sizeof(T));
  }
  void give(void* place) {
    Place* free = ::new (place) Place{nullptr};
    given_.give(free, free);
  }

  SlabSource source_;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0;
  Place* free_ = nullptr;
  Returns<Place> given_;
};

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
