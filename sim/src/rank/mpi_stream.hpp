// SPDX-License-Identifier: Apache-2.0
//
// MPI as the transport to another rank, through a small library that was compiled for the MPI of
// this run (python/kumihimo/ranks/mpi_shim.c says what its functions do).
//
// MPI makes progress within its own calls only, and has nothing to sleep on. Its messages leave and
// come while this rank looks for them, before and after each window; one that waits looks again
// after longer and longer pauses, so that another rank can have the core.
#pragma once

#include <string>

#include "rank/stream.hpp"

namespace kumihimo {

class MpiStream : public Stream {
 public:
  // shim: the library, already initialised. Throws Error.
  MpiStream(const std::string& shim, std::uint32_t rank);

  std::size_t write(const std::uint8_t* data, std::size_t bytes) override;
  std::size_t read(std::uint8_t* to, std::size_t most) override;
  bool leaving() const override;
  int fd() const override { return -1; }
  std::chrono::microseconds nap() const override;

 private:
  [[noreturn]] void fail() const;

  using Write = long (*)(int rank, const void* data, unsigned long bytes);
  using Read = long (*)(int rank, void* to, unsigned long most);
  using Leaving = int (*)(int rank);
  using ErrorText = const char* (*)();

  int rank_;
  Write write_;
  Read read_;
  Leaving leaving_;
  ErrorText error_;
  mutable std::chrono::microseconds nap_{0};
};

}  // namespace kumihimo
