// SPDX-License-Identifier: Apache-2.0
//
// `hls::stream<T>` as a channel. For synthesis a read or write is one volatile access of all its
// bits, in emulation a call of the runtime (kumi_cl_emu.c). `empty` and `full` do not exist: what
// they say may have changed at the next access. read_nb and write_nb try and tell.
#ifndef KUMI_HLS_STREAM_H
#define KUMI_HLS_STREAM_H

extern "C" {
#ifdef KUMI_EMULATION
void __kumi_emu_read(const volatile void* ch, void* word, int bytes, int line);
void __kumi_emu_write(const volatile void* ch, const void* word, int bytes, int line);
bool __kumi_emu_try_read(const volatile void* ch, void* word, int bytes, int line);
bool __kumi_emu_try_write(const volatile void* ch, const void* word, int bytes, int line);
#else
bool __kumi_can_read(const volatile void* ch);
bool __kumi_can_write(const volatile void* ch);
#endif
}

namespace hls {

template <typename T, int DEPTH = 0>
class stream {
 public:
  constexpr stream() : slot() {}
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

#ifdef KUMI_EMULATION
  T read(int line = __builtin_LINE()) {
    T word;
    __kumi_emu_read(this, &word, sizeof(T), line);
    return word;
  }
  void write(const T& word, int line = __builtin_LINE()) {
    __kumi_emu_write(this, &word, sizeof(T), line);
  }
  bool read_nb(T& word, int line = __builtin_LINE()) {
    T got;
    bool good = __kumi_emu_try_read(this, &got, sizeof(T), line);
    if (good) word = got;
    return good;
  }
  bool write_nb(const T& word, int line = __builtin_LINE()) {
    return __kumi_emu_try_write(this, &word, sizeof(T), line);
  }
#else
  __attribute__((always_inline)) T read() {
    bits raw = *(volatile bits*)&slot;
    T word;
    __builtin_memcpy(&word, &raw, sizeof(T));
    return word;
  }
  __attribute__((always_inline)) void write(const T& word) {
    bits raw = 0;
    __builtin_memcpy(&raw, &word, sizeof(T));
    *(volatile bits*)&slot = raw;
  }
  __attribute__((always_inline)) bool read_nb(T& word) {
    bool good = __kumi_can_read(&slot);
    T got = read();
    if (good) word = got;
    return good;
  }
  __attribute__((always_inline)) bool write_nb(const T& word) {
    bits raw = 0;
    __builtin_memcpy(&raw, &word, sizeof(T));
    bool good = __kumi_can_write(&slot);
    *(volatile bits*)&slot = raw;
    return good;
  }
#endif
  void read(T& word) { word = read(); }
  void operator>>(T& word) { word = read(); }
  void operator<<(const T& word) { write(word); }

 private:
  typedef unsigned _BitInt(8 * sizeof(T)) bits;
  T slot;
};

}  // namespace hls

#endif
