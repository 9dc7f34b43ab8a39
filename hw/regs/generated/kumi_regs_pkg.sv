// SPDX-License-Identifier: Apache-2.0
// Generated from regs/*.rdl by `python -m kumihimo.regs generate`; do not edit.
//
// Kind and version of every register block, for the block table of the identity block.
// verilator lint_off UNUSEDPARAM
package kumi_regs_pkg;

  // An entry of the block table: four characters in memory order, and a version.
  typedef struct packed {
    logic [31:0] kind;
    logic [11:0] version;
  } block_t;

  localparam block_t BLOCK_NONE = '{kind: 32'h0, version: 12'd0};
  localparam block_t BLOCK_CIRCUIT = '{kind: 32'h43524943, version: 12'd1};
  localparam block_t BLOCK_COLL = '{kind: 32'h4c4c4f43, version: 12'd1};
  localparam block_t BLOCK_DHCP = '{kind: 32'h50434844, version: 12'd1};
  localparam block_t BLOCK_DMA = '{kind: 32'h20414d44, version: 12'd1};
  localparam block_t BLOCK_ECHO = '{kind: 32'h4f484345, version: 12'd1};
  localparam block_t BLOCK_ETH_CHECK = '{kind: 32'h4b48434d, version: 12'd1};
  localparam block_t BLOCK_ETH_ECHO = '{kind: 32'h4843454d, version: 12'd1};
  localparam block_t BLOCK_ETH_GEN = '{kind: 32'h4e45474d, version: 12'd1};
  localparam block_t BLOCK_ETH_PORT = '{kind: 32'h50485445, version: 12'd1};
  localparam block_t BLOCK_ETH_RTP = '{kind: 32'h54485445, version: 12'd1};
  localparam block_t BLOCK_HTTP = '{kind: 32'h50545448, version: 12'd1};
  localparam block_t BLOCK_IB_PORT = '{kind: 32'h54504249, version: 12'd1};
  localparam block_t BLOCK_IB_ROUTER = '{kind: 32'h54524249, version: 12'd1};
  localparam block_t BLOCK_IB_SWITCH = '{kind: 32'h57534249, version: 12'd1};
  localparam block_t BLOCK_ID = '{kind: 32'h20204449, version: 12'd1};
  localparam block_t BLOCK_IP = '{kind: 32'h34565049, version: 12'd1};
  localparam block_t BLOCK_IP6 = '{kind: 32'h36565049, version: 12'd1};
  localparam block_t BLOCK_IPERF_CLIENT = '{kind: 32'h43465049, version: 12'd1};
  localparam block_t BLOCK_IPERF_SERVER = '{kind: 32'h53465049, version: 12'd1};
  localparam block_t BLOCK_LANES = '{kind: 32'h454e414c, version: 12'd1};
  localparam block_t BLOCK_MMIO_FIFO = '{kind: 32'h4f494d4d, version: 12'd1};
  localparam block_t BLOCK_PINGPONG = '{kind: 32'h474e4950, version: 12'd1};
  localparam block_t BLOCK_RDMA = '{kind: 32'h414d4452, version: 12'd1};
  localparam block_t BLOCK_SATA = '{kind: 32'h41544153, version: 12'd1};
  localparam block_t BLOCK_STDM = '{kind: 32'h4d445453, version: 12'd1};
  localparam block_t BLOCK_STORAGE = '{kind: 32'h524f5453, version: 12'd3};
  localparam block_t BLOCK_TCP = '{kind: 32'h45504354, version: 12'd1};
  localparam block_t BLOCK_TCP_ECHO = '{kind: 32'h48434554, version: 12'd1};
  localparam block_t BLOCK_TCP_TRAFFIC = '{kind: 32'h46525454, version: 12'd1};
  localparam block_t BLOCK_TRAFFIC_CHECK = '{kind: 32'h4b484354, version: 12'd1};
  localparam block_t BLOCK_TRAFFIC_GEN = '{kind: 32'h4e454754, version: 12'd1};

endpackage
// verilator lint_on UNUSEDPARAM
