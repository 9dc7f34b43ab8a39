// SPDX-License-Identifier: Apache-2.0
//
// InfiniBand headers (IBTA volume 1, clauses 7.7, 8.3, 9.2 to 9.6, 13.4) and their constants.
//
// Structs have the first bit on the wire as their most significant one; fields are big-endian on
// the wire. A packet on a stream begins with byte 0 in tdata[7:0], so words are swapped (swap32).
// Packet on a stream: LRH [GRH] BTH [extension headers] payload pad ICRC; without VCRC, which only
// exists on the line. All packets are multiples of 4 bytes.
package kumi_ib_pkg;

  // ---- Local route header, 8 bytes --------------------------------------------------------------
  typedef enum logic [1:0] {
    LNH_RAW   = 2'd0,  // raw packet, Ethertype follows
    LNH_IP    = 2'd1,  // raw packet, IPv6 header follows
    LNH_LOCAL = 2'd2,  // BTH follows
    LNH_GRH   = 2'd3   // GRH follows
  } lnh_e;

  typedef struct packed {
    logic [3:0]  vl;       // virtual lane
    logic [3:0]  lver;     // link version, 0
    logic [3:0]  sl;       // service level
    logic [1:0]  rsv_a;
    lnh_e        lnh;      // link next header
    logic [15:0] dlid;
    logic [4:0]  rsv_b;
    logic [10:0] pkt_len;  // words of 4 bytes, from the LRH to the ICRC
    logic [15:0] slid;
  } lrh_t;

  localparam logic [3:0] VL_MGMT = 4'd15;
  localparam logic [15:0] LID_MCAST = 16'hC000;  // first multicast LID
  localparam logic [15:0] LID_PERMISSIVE = 16'hFFFF;  // received by whom it reaches

  // ---- Global route header, 40 bytes ------------------------------------------------------------
  typedef struct packed {
    logic [3:0]   ip_ver;     // 6
    logic [7:0]   t_class;
    logic [19:0]  flow_label;
    logic [15:0]  pay_len;    // bytes behind the GRH, ICRC included
    logic [7:0]   nxt_hdr;    // GRH_NXT_IBA
    logic [7:0]   hop_lmt;
    logic [127:0] sgid;
    logic [127:0] dgid;
  } grh_t;

  localparam logic [3:0] GRH_IP_VER = 4'd6;
  localparam logic [7:0] GRH_NXT_IBA = 8'h1B;

  // ---- Base transport header, 12 bytes, and extension headers -----------------------------------
  typedef struct packed {
    logic [7:0]  opcode;
    logic        se;       // solicited event
    logic        mig_req;
    logic [1:0]  pad_cnt;  // bytes of padding in front of the ICRC
    logic [3:0]  t_ver;    // 0
    logic [15:0] p_key;
    logic [7:0]  rsv_a;    // variant: left out of the ICRC
    logic [23:0] dest_qp;
    logic        ack_req;
    logic [6:0]  rsv_b;
    logic [23:0] psn;
  } bth_t;

  typedef struct packed {
    logic [31:0] q_key;
    logic [7:0]  rsv;
    logic [23:0] src_qp;
  } deth_t;

  typedef struct packed {
    logic [63:0] va;
    logic [31:0] r_key;
    logic [31:0] dma_len;
  } reth_t;

  typedef struct packed {
    logic [7:0]  syndrome;
    logic [23:0] msn;
  } aeth_t;

  // Transport in opcode[7:5], operation in opcode[4:0].
  localparam logic [2:0] TRANSPORT_RC = 3'd0;
  localparam logic [2:0] TRANSPORT_UC = 3'd1;
  localparam logic [2:0] TRANSPORT_UD = 3'd3;
  localparam logic [4:0] OP_SEND_ONLY = 5'h04;
  localparam logic [7:0] UD_SEND_ONLY = {TRANSPORT_UD, OP_SEND_ONLY};

  // ---- Management datagram, 256 bytes: common header and that of subnet management --------------
  typedef struct packed {
    logic [7:0] base_ver;
    logic [7:0] mgmt_class;
    logic [7:0] class_ver;
    logic [7:0] method;
    logic [15:0] status;
    logic [7:0] hop_ptr;  // directed route only
    logic [7:0] hop_cnt;
    logic [63:0] tid;
    logic [15:0] attr_id;
    logic [15:0] rsv;
    logic [31:0] attr_mod;
    logic [63:0] m_key;
    logic [15:0] dr_slid;
    logic [15:0] dr_dlid;
  } smp_hdr_t;

  // Largest packet, without VCRC, in words of 4 bytes: the MTU (codes 1 to 5: 256 to 4096 bytes)
  // and 124 bytes of headers and ICRC. Other codes yield that of 256.
  function automatic logic [10:0] max_pkt_len(input logic [2:0] mtu);
    unique case (mtu)
      3'd2: return 11'd159;
      3'd3: return 11'd287;
      3'd4: return 11'd543;
      3'd5: return 11'd1055;
      default: return 11'd95;
    endcase
  endfunction

  // Words of a stream from and to the order of the headers.
  function automatic logic [31:0] swap32(input logic [31:0] word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

endpackage
