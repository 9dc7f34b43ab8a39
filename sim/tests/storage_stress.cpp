// SPDX-License-Identifier: Apache-2.0
//
// For the sanitizers: a volume on files used by many threads at once, directly and over NBD, while
// a disk hangs, is given up and rebuilt, another joins and one is scrubbed; then all bytes again
// after a new start. Arguments: a folder for the disks.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "file_device.hpp"
#include "measure.hpp"
#include "nbd_server.hpp"
#include "nbd_wire.hpp"

using namespace kumihimo::storage;

namespace {

constexpr std::uint64_t kDisk = 24U << 20;
constexpr unsigned kThreads = 4, kClients = 2;

int failures = 0;

void expect(bool right, const char* what) {
  if (right) return;
  ++failures;
  std::fprintf(stderr, "wrong: %s\n", what);
}

constexpr unsigned kHangs = 2;

std::shared_ptr<FileDevice> disk(const std::string& folder, unsigned i, bool fresh) {
  const std::string path = folder + "/disk" + std::to_string(i);
  if (fresh) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ::ftruncate(fd, kDisk) != 0) std::perror(path.c_str());
    ::close(fd);
  }
  FileOptions options;
  options.timeout_s = 600;  // how long a disk that works needs is up to the machine
  options.late_s = 0.5;
  return std::make_shared<FileDevice>(path, options);
}

// Each thread has a part of the volume and knows what is in it.
struct Part {
  std::uint64_t from = 0;
  std::vector<std::uint8_t> bytes;
};

// Bytes from any place of a pool: a number for each would be most of the time under a sanitizer.
const std::vector<std::uint8_t> kPool = [] {
  std::mt19937 rng(1);
  std::vector<std::uint8_t> bytes(1U << 20);
  for (auto& one : bytes) one = static_cast<std::uint8_t>(rng());
  return bytes;
}();

void fill(std::uint8_t* to, std::size_t n, std::mt19937& rng) {
  std::memcpy(to, kPool.data() + rng() % (kPool.size() - n), n);
}

void use(Volume& v, Part& part, unsigned seed) {
  std::mt19937 rng(seed);
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t n = std::min<std::uint64_t>(1 + rng() % 200000, part.bytes.size());
    const std::uint64_t at = rng() % (part.bytes.size() - n + 1);
    if (i % 11 == 5) {
      v.zero(part.from + at, n, true);
      std::fill_n(part.bytes.begin() + static_cast<long>(at), n, 0);
    } else if (i % 3 == 0) {
      std::vector<std::uint8_t> got;
      for (const Slice& s : v.read(part.from + at, n))
        got.insert(got.end(), s.data, s.data + s.size);
      expect(std::equal(got.begin(), got.end(), part.bytes.begin() + static_cast<long>(at)),
             "read");
    } else {
      Slice s = Slice::make(n);
      fill(s.data, n, rng);
      std::copy(s.data, s.data + n, part.bytes.begin() + static_cast<long>(at));
      v.write(part.from + at, s);
    }
    if (i % 50 == 0) v.flush();
  }
}

// Over NBD: writes in rows without waiting for the replies, some with FUA, and reads what it wrote.
void client(const std::string& path, Part& part) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  std::snprintf(a.sun_path, sizeof a.sun_path, "%s", path.c_str());
  expect(::connect(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0, "connect");
  std::uint8_t scrap[18];
  nbd::receive(fd, scrap, 18);
  nbd::Out hello;
  hello.put(std::uint32_t{3}).put(nbd::kOptMagic).put(std::uint32_t{nbd::kExportName});
  hello.put(std::uint32_t{0});
  nbd::send_all(fd, hello.bytes());
  nbd::receive(fd, scrap, 10);
  auto ask = [&](nbd::Command what, std::uint64_t at, std::uint32_t length, std::uint16_t flags) {
    nbd::Out request;
    request.put(nbd::kRequestMagic).put(flags).put(std::uint16_t{what});
    request.put(at).put(part.from + at).put(length);
    nbd::send_all(fd, request.bytes());
  };
  auto answer = [&] {
    return nbd::receive(fd, scrap, 16) &&
           std::all_of(scrap + 4, scrap + 8, [](int b) { return !b; });
  };
  std::mt19937 rng(static_cast<unsigned>(part.from));
  std::vector<std::uint8_t> data(200000);
  for (unsigned i = 0; i < 60; ++i) {
    for (unsigned j = 0; j < 20; ++j) {
      const auto length =
          static_cast<std::uint32_t>(std::array{512, 4096, 65536, 70000, 196608}[rng() % 5]);
      const std::uint64_t at = rng() % ((part.bytes.size() - length) / 512) * 512;
      fill(&part.bytes[at], length, rng);
      ask(nbd::kWrite, at, length, rng() % 40 == 0 ? nbd::kFua : 0);
      nbd::send_all(fd, {{&part.bytes[at], length}});
      // Requests that overlap are done in any order: only one may be under way.
      expect(answer(), "write");
    }
    for (unsigned j = 0; j < 20; ++j) {
      ask(nbd::kWrite, j * 4096, 4096, 0);
      nbd::send_all(fd, {{&part.bytes[j * 4096], 4096}});
    }
    for (unsigned j = 0; j < 20; ++j) expect(answer(), "write in a row");
    const std::uint64_t at = rng() % (part.bytes.size() - data.size());
    ask(nbd::kRead, at, static_cast<std::uint32_t>(data.size()), 0);
    expect(answer() && nbd::receive(fd, data.data(), data.size()), "reply");
    expect(std::equal(data.begin(), data.end(), part.bytes.begin() + static_cast<long>(at)),
           "what was written over NBD");
  }
  ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  std::vector<std::shared_ptr<FileDevice>> disks;
  for (unsigned i = 0; i < 6; ++i) disks.push_back(disk(folder, i, true));
  CreateOptions create;
  create.k = 3;
  create.p = 1;
  create.spares = 1;
  std::vector<DevicePtr> devices(disks.begin(), disks.end());
  (void)speed_test(devices, 4U << 20, 1U << 20, 2);
  create.force = true;
  Array::create(devices, create);
  std::vector<Part> parts(kThreads + kClients);
  {
    auto volume = std::make_shared<Volume>(Array::open(devices, {}), 1U << 20, 0.05);
    NbdServer server(volume, {folder + "/socket", 0, false});
    for (unsigned i = 0; i < parts.size(); ++i) {
      const std::uint64_t part = volume->size() / parts.size();
      parts[i] = {i * part, std::vector<std::uint8_t>(part, 0)};
    }
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { use(*volume, parts[i], i); });
    }
    for (unsigned i = 0; i < kClients; ++i) {
      threads.emplace_back([&, i] { client(folder + "/socket", parts[kThreads + i]); });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    disks[kHangs]->set_timeout(2);
    disks[kHangs]->hang();
    while (volume->array().status()[kHangs].state == State::kActive) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    volume->start_rebuild(false, 0);
    volume->array().run(volume->array().add(disk(folder, 6, true), 500000, 500000, false));
    for (auto& t : threads) t.join();
    volume->wait_rebuild();
    volume->start_rebuild(true, 50);
    volume->wait_rebuild();
    expect(volume->rebuild_status().problem.empty(), "rebuild");
    expect(volume->array().degraded_stripes() == 0, "whole again");
    volume->flush();
    server.stop();
  }
  disks.clear();
  devices.clear();
  std::vector<DevicePtr> again;
  for (const unsigned i : {6U, 0U, 5U, 1U, 4U, 3U}) again.push_back(disk(folder, i, false));
  Volume volume(Array::open(again, {}), 1U << 20, 0);
  for (const Part& part : parts) {
    std::vector<std::uint8_t> got;
    for (const Slice& s : volume.read(part.from, part.bytes.size())) {
      got.insert(got.end(), s.data, s.data + s.size);
    }
    expect(got == part.bytes, "bytes after a new start");
  }
  std::printf("failures: %d\n", failures);
  return failures != 0;
}
