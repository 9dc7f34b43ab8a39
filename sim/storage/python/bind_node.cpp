// SPDX-License-Identifier: Apache-2.0
//
// Python: what the driver of the storage node needs. Disks whose operations are a Python function,
// so that arrays are made and recognised through a node; what an opened array knows; and the bytes
// of superblocks and logs.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <tuple>

#include "../array.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo::storage {
namespace {

// call(op, offset, data or length) gives the bytes of a read, None for the others, or an errno.
class CallbackDevice : public Device {
 public:
  CallbackDevice(std::string name, std::uint64_t size, nb::callable call)
      : name_(std::move(name)), size_(size), call_(std::move(call)) {}
  ~CallbackDevice() override {
    const nb::gil_scoped_acquire held;
    call_.reset();
  }
  CallbackDevice(const CallbackDevice&) = delete;
  CallbackDevice& operator=(const CallbackDevice&) = delete;

  void submit(Io io) override {
    int error = EIO;
    {
      const nb::gil_scoped_acquire held;
      try {
        nb::object got;
        if (io.op == Op::kWrite) {
          const nb::bytes data(reinterpret_cast<const char*>(io.data.data), io.data.size);
          got = call_("write", io.offset, data);
        } else if (io.op == Op::kRead) {
          got = call_("read", io.offset, io.data.size);
        } else {
          got = call_(io.op == Op::kFlush ? "flush" : "trim", io.offset, io.length);
        }
        if (nb::isinstance<nb::int_>(got)) {
          error = nb::cast<int>(got);
        } else if (io.op != Op::kRead) {
          error = 0;
        } else {
          const auto bytes = nb::cast<nb::bytes>(got);
          if (bytes.size() == io.data.size) {
            std::memcpy(io.data.data, bytes.c_str(), bytes.size());
            error = 0;
          }
        }
      } catch (nb::python_error& e) {
        e.discard_as_unraisable("operation of a disk");
      }
    }
    io.finish(error);
  }
  std::uint64_t size() const override { return size_; }
  std::string name() const override { return name_; }
  double now() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

 private:
  std::string name_;
  std::uint64_t size_;
  nb::callable call_;
};

// An array whose stripes a node keeps: a Python object writes, reads, unmaps and commits, called by
// several threads at a time. Volume and NBD server work with it as with any array.
class NodeArray : public Array {
 public:
  NodeArray(const Super& super, nb::object node, const std::vector<std::uint64_t>& numbers,
            const std::vector<bool>& mapped)
      : Array(super), node_(std::move(node)), numbers_(numbers), mapped_now_(mapped) {
    numbers_.resize(stripes());
    mapped_now_.resize(stripes());
  }
  ~NodeArray() override {
    const nb::gil_scoped_acquire held;
    node_.reset();
  }
  NodeArray(const NodeArray&) = delete;
  NodeArray& operator=(const NodeArray&) = delete;

  Task<> write_stripe(std::uint32_t logical, std::vector<Slice> data,
                      std::vector<std::uint32_t>) override {
    std::string all;
    for (const Slice& s : data) all.append(reinterpret_cast<const char*>(s.data), s.size);
    const std::uint64_t number = call([&] {
      return nb::cast<std::uint64_t>(
          node_.attr("write_stripe")(logical, nb::bytes(all.data(), all.size())));
    });
    became(logical, number, true);
    co_return;
  }
  Task<> unmap(std::uint32_t logical) override {
    const std::uint64_t number =
        call([&] { return nb::cast<std::uint64_t>(node_.attr("unmap")(logical)); });
    if (number) became(logical, number, false);
    co_return;
  }
  Task<> read_chunk(std::uint32_t logical, unsigned position, Slice* out) override {
    *out = Slice::make(chunk());
    call([&] {
      const auto got = nb::cast<nb::bytes>(node_.attr("read_chunk")(logical, position));
      if (got.size() != chunk()) throw StorageError("a chunk of another length");
      std::memcpy(out->data, got.c_str(), got.size());
      return std::uint64_t{0};
    });
    co_return;
  }
  Task<> commit() override {
    std::uint64_t before = 0;
    {
      const std::lock_guard lock(own_);
      before = changes_;
    }
    call([&] {
      node_.attr("commit")();
      return std::uint64_t{0};
    });
    const std::lock_guard lock(own_);
    committed_ = std::max(committed_, before);
    co_return;
  }
  bool mapped(std::uint32_t logical) override {
    const std::lock_guard lock(own_);
    return mapped_now_.at(logical);
  }
  std::uint64_t version_number(std::uint32_t logical) override {
    const std::lock_guard lock(own_);
    return numbers_.at(logical);
  }
  bool has_uncommitted() override {
    const std::lock_guard lock(own_);
    return changes_ > committed_;
  }
  // The node says so when a stripe is read.
  std::vector<std::uint32_t> lost_stripes() override { return {}; }
  bool is_lost(std::uint32_t) override { return false; }
  Task<> repair_pending() override {
    call([&] {
      node_.attr("repair_pending")();
      return std::uint64_t{0};
    });
    co_return;
  }

 private:
  template <class F>
  std::uint64_t call(F f) {
    const nb::gil_scoped_acquire held;
    try {
      return f();
    } catch (nb::python_error& e) {
      throw StorageError(e.what());
    }
  }
  void became(std::uint32_t logical, std::uint64_t number, bool mapped) {
    const std::lock_guard lock(own_);
    numbers_.at(logical) = number;
    mapped_now_.at(logical) = mapped;
    ++changes_;
  }

  nb::object node_;
  std::mutex own_;
  std::vector<std::uint64_t> numbers_;
  std::vector<bool> mapped_now_;
  std::uint64_t changes_ = 0, committed_ = 0;  // stripes written or unmapped
};

nb::bytes bytes_of(const std::vector<std::uint8_t>& b) {
  return nb::bytes(reinterpret_cast<const char*>(b.data()), b.size());
}

Uuid uuid_of(const nb::bytes& b) {
  if (b.size() != 16) throw StorageError("a UUID has 16 bytes");
  Uuid id;
  std::memcpy(id.data(), b.c_str(), 16);
  return id;
}

nb::bytes super_for(const Super& s, unsigned index, std::uint64_t data_offset) {
  Super mine = s;
  const Entry& e = mine.table.at(index);
  mine.index = static_cast<std::uint8_t>(index);
  mine.device = e.id;
  mine.size = e.size;
  mine.slots = e.slots;
  mine.half_sectors = e.half_sectors;
  mine.data_offset = data_offset;
  return bytes_of(encode(mine));
}

using RecordRow = std::tuple<std::uint64_t, std::uint32_t, bool, std::vector<std::uint64_t>>;

}  // namespace

void bind_node(nb::module_& m) {
  nb::class_<CallbackDevice, Device>(m, "CallbackDevice")
      .def(nb::init<std::string, std::uint64_t, nb::typed<nb::callable, nb::object(...)>>(),
           "name"_a, "size"_a, "call"_a);
  nb::class_<NodeArray, Array>(m, "NodeArray")
      .def(nb::init<const Super&, nb::object, const std::vector<std::uint64_t>&,
                    const std::vector<bool>&>(),
           "super"_a, "node"_a, "numbers"_a, "mapped"_a);
  nb::class_<Entry>(m, "Entry")
      .def(nb::init<>())
      .def_prop_rw(
          "uuid", [](const Entry& e) { return nb::bytes(e.id.data(), e.id.size()); },
          [](Entry& e, const nb::bytes& b) { e.id = uuid_of(b); })
      .def_prop_rw(
          "state", [](const Entry& e) { return std::string(name_of(e.state)); },
          [](Entry& e, const std::string& name) {
            for (const State s :
                 {State::kEmpty, State::kActive, State::kFailed, State::kDraining}) {
              if (name == name_of(s)) {
                e.state = s;
                return;
              }
            }
            throw StorageError("there is no state " + name);
          })
      .def_rw("slots", &Entry::slots)
      .def_rw("read_kbs", &Entry::read_kbs)
      .def_rw("write_kbs", &Entry::write_kbs)
      .def_rw("half_sectors", &Entry::half_sectors)
      .def_rw("size", &Entry::size);
  nb::class_<Super>(m, "Super")
      .def_prop_ro("uuid", [](const Super& s) { return nb::bytes(s.array.data(), 16); })
      .def_prop_ro("name", [](const Super& s) { return s.name; })
      .def_rw("events", &Super::events)
      .def_rw("epoch", &Super::epoch)
      .def_ro("stripes", &Super::stripes)
      .def_ro("physical", &Super::physical)
      .def_ro("chunk_log2", &Super::chunk_log2)
      .def_ro("k", &Super::k)
      .def_ro("p", &Super::p)
      .def_ro("policy", &Super::policy)
      .def_ro("replicas", &Super::replicas)
      .def_prop_ro("entries", [](const Super& s) { return s.table.size(); })
      .def(
          "entry", [](const Super& s, std::size_t i) { return s.table.at(i); }, "index"_a)
      .def(
          "set_entry",
          [](Super& s, std::size_t i, const Entry& e) {
            if (i >= kMaxDevices) throw StorageError("an array has at most 128 devices");
            if (i >= s.table.size()) s.table.resize(i + 1);
            s.table[i] = e;
          },
          "index"_a, "entry"_a)
      .def("encode", &super_for, "index"_a, "data_offset"_a);
  m.def("super_of", [](Array& a) { return a.super(); }, "array"_a);
  m.def(
      "logs_of",
      [](Array& a) {
        nb::list out;
        for (const auto& log : a.logs()) {
          nb::dict d;
          d["present"] = log.present;
          d["owner"] = log.owner;
          d["generation"] = log.generation;
          d["half"] = log.half;
          d["next"] = log.next;
          d["data_offset"] = log.data_offset;
          out.append(d);
        }
        return nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>>(out);
      },
      "array"_a);
  m.def("sequence_of", [](Array& a) { return a.sequence(); }, "array"_a);
  m.def(
      "stripe_version_of",
      [](Array& a, std::uint32_t logical) {
        const auto held = a.stripe_version(logical);
        std::vector<std::uint64_t> words;
        for (const Place& p : held.places) words.push_back(p.word);
        return std::make_tuple(held.seq, held.mapped, words, held.replicas);
      },
      "array"_a, "logical"_a);
  m.def(
      "owner_of",
      [](const nb::bytes& array, const nb::bytes& device) {
        return owner_of(uuid_of(array), uuid_of(device));
      },
      "array"_a, "device"_a);
  m.def(
      "encode_head",
      [](std::uint32_t owner, std::uint32_t generation, std::uint32_t checkpoint, std::uint64_t seq,
         std::uint64_t events) {
        return bytes_of(encode_head(owner, {generation, checkpoint, seq, events}));
      },
      "owner"_a, "generation"_a, "checkpoint"_a, "seq"_a, "events"_a);
  m.def(
      "encode_records",
      [](const std::vector<RecordRow>& rows, unsigned width, std::uint32_t owner,
         std::uint32_t generation, std::uint32_t index) {
        std::vector<Record> records;
        for (const auto& [seq, logical, mapped, words] : rows) {
          Record r{seq, logical, mapped ? Mapping::kMapped : Mapping::kUnmapped, {}};
          for (const std::uint64_t w : words) r.places.push_back(Place{w});
          records.push_back(std::move(r));
        }
        return bytes_of(encode_records(records, width, owner, generation, index));
      },
      "records"_a, "width"_a, "owner"_a, "generation"_a, "index"_a);
  m.def(
      "geometry",
      [](std::uint64_t size, unsigned chunk_log2, unsigned width) {
        const Geometry g = geometry(size, chunk_log2, width);
        return std::make_tuple(g.size, g.half_sectors, g.slots, g.data_offset);
      },
      "size"_a, "chunk_log2"_a, "width"_a);
}

}  // namespace kumihimo::storage
