// Asks for memory that will be read soon. The flows of a large capture lie all over the heap, and
// waiting for each of them is most of what a new picture of thousands costs.
#pragma once

namespace rwin::tui {

template <class... Pointer>
void prefetch(const Pointer*... at) {
#if defined(__GNUC__)
  (__builtin_prefetch(at), ...);
#else
  (static_cast<void>(at), ...);
#endif
}

}  // namespace rwin::tui
