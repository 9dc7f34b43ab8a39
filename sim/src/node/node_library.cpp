// SPDX-License-Identifier: Apache-2.0
#include "node/node_library.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <stdexcept>

namespace kumihimo {

namespace {

std::mutex& registry_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::map<std::string, std::weak_ptr<NodeLibrary>>& registry() {
  static std::map<std::string, std::weak_ptr<NodeLibrary>> libraries;
  return libraries;
}

// "s_axis_eth0" -> kind axis or eth, name "eth0".
bool matches_prefix(std::string_view asked, const kumi_port_info& port) {
  static constexpr std::string_view kStems[] = {"axis", "axis", "axil", "hdr",
                                                "axi",  "lane", "sata", "ib"};
  const std::string_view stem = kStems[port.kind];
  if (asked.size() < 2 + stem.size() || asked[1] != '_') return false;
  const bool to_node = asked[0] == 's';
  if (port.kind == KUMI_PORT_AXI && to_node) return false;
  if (!to_node && asked[0] != 'm') return false;
  if ((port.dirs & (to_node ? KUMI_TO_NODE : KUMI_FROM_NODE)) == 0) return false;
  asked.remove_prefix(2);
  if (asked.substr(0, stem.size()) != stem) return false;
  asked.remove_prefix(stem.size());
  const std::string_view name = port.name;
  if (name.empty()) return asked.empty();
  return asked.size() == name.size() + 1 && asked[0] == '_' && asked.substr(1) == name;
}

}  // namespace

std::shared_ptr<NodeLibrary> NodeLibrary::open(const std::string& path) {
  const std::scoped_lock lock(registry_mutex());
  if (auto known = registry()[path].lock()) return known;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw std::runtime_error("cannot load the node library " + path + ": " +
                             (why != nullptr ? why : "unknown reason"));
  }
  const auto entry = reinterpret_cast<kumi_node_api_fn>(dlsym(handle, KUMI_NODE_API_SYMBOL));
  if (entry == nullptr) {
    dlclose(handle);
    throw std::runtime_error(path + " is not a node library: it does not export " +
                             KUMI_NODE_API_SYMBOL);
  }
  const kumi_node_api* api = entry();
  const uint32_t version = api->info->abi_version;
  if (version != KUMI_ABI_VERSION) {
    dlclose(handle);
    throw std::runtime_error(path + " was built for node interface version " +
                             std::to_string(version) + ", this engine has version " +
                             std::to_string(KUMI_ABI_VERSION) + ": build the design again");
  }
  std::shared_ptr<NodeLibrary> library(new NodeLibrary(path, handle, api));
  registry()[path] = library;
  return library;
}

NodeLibrary::NodeLibrary(std::string path, void* handle, const kumi_node_api* api)
    : path_(std::move(path)), handle_(handle), api_(api) {}

NodeLibrary::~NodeLibrary() { dlclose(handle_); }

int NodeLibrary::find_port(std::string_view name) const {
  for (uint32_t i = 0; i < info().n_ports; ++i) {
    if (name == info().ports[i].name) return static_cast<int>(i);
  }
  for (uint32_t i = 0; i < info().n_ports; ++i) {
    if (matches_prefix(name, info().ports[i])) return static_cast<int>(i);
  }
  return -1;
}

int NodeLibrary::find_pin(std::string_view name) const {
  for (uint32_t i = 0; i < info().n_pins; ++i) {
    if (name == info().pins[i].name) return static_cast<int>(i);
  }
  return -1;
}

int NodeLibrary::find_clock(std::string_view name) const {
  for (uint32_t i = 0; i < info().n_clocks; ++i) {
    if (name == info().clocks[i]) return static_cast<int>(i);
  }
  return -1;
}

NodeInstance::NodeInstance(std::shared_ptr<NodeLibrary> library, const kumi_node_config& config)
    : library_(std::move(library)), node_(library_->api().create(&config)) {
  if (node_ == nullptr)
    throw std::runtime_error("cannot create an instance of " + library_->path());
}

NodeInstance::~NodeInstance() { library_->api().destroy(node_); }

}  // namespace kumihimo
