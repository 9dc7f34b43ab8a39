// SPDX-License-Identifier: Apache-2.0
//
// SYN cookies (RFC 4987, 3.6): an initial sequence number that carries the state of a half-open
//   connection. 5 bits of time (67 s each), 3 bits of MSS, 24 bits of a keyed hash.
//
// The mixing is by additions, rotations and XOR, with a key of its own: a client knows the hash of
//   its own addresses from the initial sequence numbers that it is given, but that of forged ones
//   it never sees. A cookie is cookie_seed() and ROUNDS times cookie_round(), one adder each.
package kumi_tcp_cookie_pkg;
  import kumi_tcp_pkg::*;

  localparam int ROUNDS = 4;

  localparam logic [7:0][15:0] SIZES = {
    16'd8960, 16'd8192, 16'd4312, 16'd1460, 16'd1440, 16'd1220, 16'd536, 16'd88
  };

  typedef struct packed {
    logic [31:0] a;
    logic [31:0] b;
    logic [7:0]  head;  // time and MSS
  } cookie_mix_t;

  // Index of the largest of SIZES that is not above the peer's MSS.
  function automatic logic [2:0] cookie_size(input logic [15:0] mss);
    logic [2:0] index;
    index = '0;
    for (int i = 0; i < 8; i++) if (mss >= SIZES[i]) index = 3'(i);
    return index;
  endfunction

  // hash: of the addresses and ports; isn: the peer's initial sequence number.
  function automatic cookie_mix_t cookie_seed(input logic [31:0] hash, input logic [63:0] key,
                                              input logic [31:0] isn, input logic [7:0] head);
    return '{a: hash + key[63:32], b: isn ^ key[31:0], head: head};
  endfunction

  function automatic cookie_mix_t cookie_round(input cookie_mix_t m);
    cookie_mix_t n;
    n.a = (m.a + {m.b[18:0], m.b[31:19]}) ^ {24'd0, m.head};
    n.b = m.b ^ ({m.a[24:0], m.a[31:25]} + {m.a[8:0], m.a[31:9]});
    n.head = m.head;
    return n;
  endfunction

  function automatic logic [31:0] cookie_of(input cookie_mix_t m);
    logic unused;
    unused = ^{m.a[31:24], m.b[7:0]};
    return {m.head, m.a[23:0] ^ m.b[31:8]};
  endfunction

  // ---- the answer to a SYN --------------------------------------------------------------------

  // What of a SYN its answer depends on.
  typedef struct packed {
    tcp_tuple_t  tuple;
    logic [31:0] seq;
    logic        ts_valid;
    logic [31:0] ts_val;
    logic        sack_ok;
    logic        ws_valid;
    logic [3:0]  ws;
  } cookie_syn_t;

  function automatic cookie_syn_t cookie_syn(input tcp_seg_t seg, input tcp_cfg_t cfg);
    logic unused;
    unused = ^{seg, cfg};
    return
    '{
        tuple: seg.tuple,
        seq: seg.seq,
        ts_valid: seg.opts.ts_valid && cfg.use_ts,
        ts_val: seg.opts.ts_val,
        sack_ok: seg.opts.sack_ok && cfg.use_sack,
        ws_valid: seg.opts.ws_valid && cfg.use_ws,
        ws: seg.opts.ws
    }
    ;
  endfunction

  // The timestamp echo returns the negotiated options: they are the low bits of the timestamp,
  // which is never ahead of the clock. past: bits 31 to 6 of the clock, minus one.
  function automatic tcp_tx_t cookie_answer(input cookie_syn_t syn, input logic [31:0] cookie,
                                            input logic [25:0] past, input logic [15:0] mss,
                                            input logic [15:0] wnd, input logic [3:0] ws);
    tcp_tx_t tx;
    tx = '0;
    tx.tuple = syn.tuple;
    tx.flags.syn = 1'b1;
    tx.flags.ack = 1'b1;
    tx.seq = cookie;
    tx.ack = syn.seq + 32'd1;
    tx.wnd = wnd;
    tx.opts.mss_valid = 1'b1;
    tx.opts.mss = mss;
    if (syn.ts_valid) begin
      tx.opts.ts_valid = 1'b1;
      tx.opts.ts_val = {past, syn.sack_ok, syn.ws_valid, syn.ws_valid ? syn.ws : 4'd15};
      tx.opts.ts_ecr = syn.ts_val;
      tx.opts.ws_valid = syn.ws_valid;
      tx.opts.ws = ws;
      tx.opts.sack_ok = syn.sack_ok;
    end
    return tx;
  endfunction
endpackage
