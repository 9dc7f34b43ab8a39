// SPDX-License-Identifier: Apache-2.0
//
// Loads node libraries (kumi/abi.h), with shared ownership.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kumi/abi.h"

namespace kumihimo {

class NodeLibrary {
 public:
  // Throws std::runtime_error that says why the file cannot be loaded.
  static std::shared_ptr<NodeLibrary> open(const std::string& path);

  ~NodeLibrary();
  NodeLibrary(const NodeLibrary&) = delete;
  NodeLibrary& operator=(const NodeLibrary&) = delete;

  const kumi_node_api& api() const { return *api_; }
  const kumi_design_info& info() const { return *api_->info; }
  const std::string& path() const { return path_; }

  // Index of a port, -1: none. A full flat prefix (s_axis_eth0, m_hdr_udp, s_axil) distinguishes
  // ports of different kinds with the same name.
  int find_port(std::string_view name) const;
  int find_pin(std::string_view name) const;
  int find_clock(std::string_view name) const;

 private:
  NodeLibrary(std::string path, void* handle, const kumi_node_api* api);

  std::string path_;
  void* handle_;
  const kumi_node_api* api_;
};

// An instance, destroyed before its library is unloaded.
class NodeInstance {
 public:
  NodeInstance(std::shared_ptr<NodeLibrary> library, const kumi_node_config& config);
  ~NodeInstance();
  NodeInstance(const NodeInstance&) = delete;
  NodeInstance& operator=(const NodeInstance&) = delete;

  kumi_node* get() const { return node_; }
  const NodeLibrary& library() const { return *library_; }
  const kumi_node_api& api() const { return library_->api(); }
  const kumi_design_info& info() const { return library_->info(); }

 private:
  std::shared_ptr<NodeLibrary> library_;
  kumi_node* node_;
};

}  // namespace kumihimo
