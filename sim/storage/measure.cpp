// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {
namespace {

struct Stream {
  DevicePtr device;
  Slice data;
  Op op;
  std::uint64_t next = 0, bytes = 0;
  int error = 0;
  double end = 0;
  std::mutex m;
};

Task<> stream_worker(Stream* s) {
  while (true) {
    Io io;
    {
      const std::lock_guard lock(s->m);
      if (s->next + s->data.size > s->bytes || s->error) co_return;
      io.offset = s->next;
      s->next += s->data.size;
    }
    io.op = s->op;
    io.data = s->op == Op::kRead ? Slice::make(s->data.size) : s->data;
    Batch batch;
    batch.add();
    io.done = [&batch, s](IoResult r) {
      {
        const std::lock_guard lock(s->m);
        if (r.error) s->error = r.error;
        s->end = std::max(s->end, s->device->now());
      }
      batch.done();
    };
    s->device->submit(std::move(io));
    co_await batch;
  }
}

Task<> stream_all(std::vector<std::unique_ptr<Stream>>* streams, unsigned depth) {
  Batch batch;
  for (auto& s : *streams) {
    for (unsigned i = 0; i < depth; ++i) start(batch, stream_worker(s.get()));
  }
  co_await batch;
}

struct Loop {
  Array* array;
  std::uint64_t next = 0, end = 0;
  std::vector<Slice> data;
  std::exception_ptr problem;
};

Task<> write_worker(Loop* loop) {
  while (loop->next < loop->end) {
    co_await loop->array->write_stripe(static_cast<std::uint32_t>(loop->next++), loop->data, {});
  }
}

Task<> write_all(Loop* loop, unsigned window) {
  Batch batch;
  for (unsigned i = 0; i < window; ++i) start(batch, write_worker(loop), &loop->problem);
  co_await batch;
  co_await loop->array->commit();
}

Task<> read_worker(Loop* loop, unsigned k) {
  while (loop->next < loop->end) {
    const std::uint64_t n = loop->next++;
    Slice got;
    co_await loop->array->read_chunk(static_cast<std::uint32_t>(n / k),
                                     static_cast<unsigned>(n % k), &got);
    if (std::memcmp(got.data, loop->data[n % k].data, got.size) != 0) {
      throw StorageError("a read gave other bytes than were written");
    }
  }
}

Task<> read_all(Loop* loop, unsigned window, unsigned k) {
  Batch batch;
  for (unsigned i = 0; i < window; ++i) start(batch, read_worker(loop, k), &loop->problem);
  co_await batch;
}

Task<> rebuild_all(Array* array, int index, unsigned window) {
  co_await array->fail(static_cast<unsigned>(index));
  co_await array->repair_range(0, array->stripes(), window, false);
  co_await array->commit();
}

}  // namespace

std::vector<Speed> speed_test(const std::vector<DevicePtr>& devices, std::uint64_t bytes,
                              std::uint32_t command, unsigned depth,
                              const std::function<void()>& pump) {
  std::vector<Speed> out(devices.size());
  for (const Op op : {Op::kWrite, Op::kRead}) {
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<double> began;
    for (const DevicePtr& d : devices) {
      auto s = std::make_unique<Stream>();
      s->device = d;
      s->data = Slice::zeros(command);
      s->op = op;
      s->bytes = std::min(bytes, d->size());
      began.push_back(d->now());
      streams.push_back(std::move(s));
    }
    run(stream_all(&streams, depth), pump);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const Stream& s = *streams[i];
      if (s.error) {
        throw StorageError(s.device->name() + ": fails the speed test: " + std::strerror(s.error));
      }
      const double mbs = static_cast<double>(s.next) * 1e-6 / std::max(s.end - began[i], 1e-9);
      (op == Op::kRead ? out[i].read_mbs : out[i].write_mbs) = mbs;
    }
  }
  return out;
}

SimResult simulate(const SimRun& r) {
  auto clock = std::make_shared<SimClock>();
  const auto pump = [clock] {
    if (!clock->step()) throw StorageError("the model stands still");
  };
  const std::uint64_t chunk = 1ULL << r.chunk_log2;
  std::vector<DevicePtr> devices;
  std::vector<std::shared_ptr<SimDevice>> models;
  CreateOptions create;
  double slowest = 1e300, sum = 0;
  for (const SimRates& rates : r.devices) {
    slowest = std::min(slowest, rates.write_mbs);
    sum += rates.write_mbs;
  }
  for (std::size_t i = 0; i < r.devices.size(); ++i) {
    // Twice the room that its share needs; equal shares for the equal split.
    const double share = r.devices[i].write_mbs / sum;
    const double chunks = static_cast<double>(r.stripes * (r.k + r.p));
    const double equal = 1.0 / static_cast<double>(r.devices.size());
    const double part = std::min(1.0 / (r.k + r.p), std::max(share, equal) * 1.5);
    const auto slots = static_cast<std::uint64_t>(2 * chunks * part) + 1024;
    auto model = std::make_shared<SimDevice>(
        "sim" + std::to_string(i), slots * (chunk + 1024) + (8U << 20), clock, r.devices[i]);
    models.push_back(model);
    devices.push_back(model);
    create.read_kbs.push_back(static_cast<std::uint32_t>(r.devices[i].read_mbs * 1e3));
    create.write_kbs.push_back(r.equal ? 100000
                                       : static_cast<std::uint32_t>(r.devices[i].write_mbs * 1e3));
  }
  create.chunk_log2 = r.chunk_log2;
  create.k = r.k;
  create.p = r.p;
  create.dynamic = r.dynamic;
  create.stripes = r.stripes;
  create.seed = 1;
  Array::create(devices, create, pump);
  OpenOptions open;
  open.depth = r.depth;
  open.pump = pump;
  const auto array = Array::open(devices, open);

  SimResult out;
  Loop loop;
  loop.array = array.get();
  loop.end = r.stripes;
  for (unsigned j = 0; j < r.k; ++j) {
    Slice s = Slice::make(chunk);
    for (std::size_t i = 0; i < chunk; ++i) {
      s.data[i] = static_cast<std::uint8_t>((i * 2654435761U + j * 40503U) >> 13);
    }
    loop.data.push_back(std::move(s));
  }
  double from = clock->now();
  if (r.slow_index >= 0) {
    models.at(static_cast<std::size_t>(r.slow_index))
        ->change_rate(from + r.slow_after_s, r.slow_factor);
  }
  array->run(write_all(&loop, r.window));
  out.write_s = clock->now() - from;
  out.user_bytes = r.stripes * chunk * r.k;
  for (const DeviceStatus& d : array->status()) out.chunks.push_back(d.chunks);
  loop.next = 0;
  loop.end = r.stripes * r.k;
  from = clock->now();
  array->run(read_all(&loop, r.window, r.k));
  out.read_s = clock->now() - from;
  if (r.fail_index >= 0) {
    out.lost_bytes = out.chunks.at(static_cast<std::size_t>(r.fail_index)) * chunk;
    from = clock->now();
    array->run(rebuild_all(array.get(), r.fail_index, r.window));
    out.rebuild_s = clock->now() - from;
    out.degraded_after = array->degraded_stripes();
  }
  if (loop.problem) std::rethrow_exception(loop.problem);
  return out;
}

}  // namespace kumihimo::storage
