// SPDX-License-Identifier: Apache-2.0
#include "rank/mpi_stream.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "base/types.hpp"

namespace kumihimo {
namespace {

constexpr std::chrono::microseconds kFirstNap{20}, kLongestNap{500};

template <class F>
F symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) throw Error(std::string("the library for MPI has no ") + name);
  return reinterpret_cast<F>(found);
}

}  // namespace

MpiStream::MpiStream(const std::string& shim, std::uint32_t rank) : rank_(static_cast<int>(rank)) {
  // It stays loaded: MPI cannot be started twice.
  void* library = dlopen(shim.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) throw Error(std::string("the library for MPI: ") + dlerror());
  write_ = symbol<Write>(library, "kumi_mpi_write");
  read_ = symbol<Read>(library, "kumi_mpi_read");
  leaving_ = symbol<Leaving>(library, "kumi_mpi_leaving");
  error_ = symbol<ErrorText>(library, "kumi_mpi_error");
}

void MpiStream::fail() const { throw Error(std::string("MPI: ") + error_()); }

std::size_t MpiStream::write(const std::uint8_t* data, std::size_t bytes) {
  const long n = write_(rank_, data, bytes);
  if (n < 0) fail();
  return static_cast<std::size_t>(n);
}

std::size_t MpiStream::read(std::uint8_t* to, std::size_t most) {
  const long n = read_(rank_, to, most);
  if (n < 0) fail();
  if (n > 0) nap_ = std::chrono::microseconds(0);
  return static_cast<std::size_t>(n);
}

bool MpiStream::leaving() const { return leaving_(rank_) != 0; }

std::chrono::microseconds MpiStream::nap() const {
  nap_ = std::clamp(2 * nap_, kFirstNap, kLongestNap);
  return nap_;
}

}  // namespace kumihimo
