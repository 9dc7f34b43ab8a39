// SPDX-License-Identifier: Apache-2.0
//
// Builds the header of a TCP segment (RFC 9293 3.1) from its record. Combinational.
//
// head: header bytes, the first in [7:0], zeros after it; its checksum field is zero. head_len: its
//   length in bytes, 20 to 60.
// Options have the order and padding of Linux: MSS; timestamps, with SACK-permitted in their
//   padding; window scale; SACK blocks. SACK blocks are omitted beside MSS or window scale, which
//   only a SYN has, and the fourth beside timestamps, since it does not fit.
module kumi_tcp_tx_header
  import kumi_tcp_pkg::*;
(
    input  tcp_tx_t         rec,
    output logic    [479:0] head,
    output logic    [  5:0] head_len
);
  localparam logic [7:0] NOP = 8'd1;

  tcp_opts_t o;
  logic [9:0][31:0] w;  // words of options, the first byte in [31:24]
  logic [3:0] words, at;
  logic [2:0] blocks;

  assign o = rec.opts;
  assign blocks = o.mss_valid || o.ws_valid ? 3'd0 : o.ts_valid && o.sacks > 3'd3 ? 3'd3 :
      o.sacks > 3'd4 ? 3'd4 : o.sacks;

  always_comb begin
    w  = '0;
    at = '0;
    if (o.mss_valid) begin
      w[0] = {8'd2, 8'd4, o.mss};
      at   = 4'd1;
    end
    if (o.ts_valid) begin
      w[at] = o.sack_ok ? {8'd4, 8'd2, 8'd8, 8'd10} : {NOP, NOP, 8'd8, 8'd10};
      w[at+4'd1] = o.ts_val;
      w[at+4'd2] = o.ts_ecr;
      at = at + 4'd3;
    end else if (o.sack_ok) begin
      w[at] = {NOP, NOP, 8'd4, 8'd2};
      at = at + 4'd1;
    end
    if (o.ws_valid) begin
      w[at] = {NOP, 8'd3, 8'd3, 4'd0, o.ws};
      at = at + 4'd1;
    end
    words = at;
    if (blocks != '0) begin
      // After nothing, SACK-permitted, or timestamps.
      for (int i = 0; i < SACKS; i++) begin
        if (3'(i) < blocks) begin
          if (o.ts_valid) begin
            if (i < SACKS - 1) begin
              w[4+2*i] = o.sack[i].left;
              w[5+2*i] = o.sack[i].right;
            end
          end else begin
            w[at+4'(1+2*i)] = o.sack[i].left;
            w[at+4'(2+2*i)] = o.sack[i].right;
          end
        end
      end
      w[at] = {NOP, NOP, 8'd5, 8'd2 + {2'd0, blocks, 3'd0}};
      words = at + 4'd1 + {blocks, 1'b0};
    end
  end

  assign head_len = 6'd20 + {words, 2'b00};

  logic [14:0][31:0] all;
  always_comb begin
    all = '0;
    all[0] = {rec.tuple.local_port, rec.tuple.peer_port};
    all[1] = rec.seq;
    all[2] = rec.ack;
    all[3] = {head_len[5:2], 4'd0, rec.flags, rec.wnd};
    for (int i = 0; i < 10; i++) all[5+i] = w[i];
    for (int i = 0; i < 60; i++) head[8*i+:8] = all[i/4][8*(3-i%4)+:8];
  end

  logic unused;
  assign unused = ^{rec.len, rec.ect, rec.sid, rec.tuple.peer_ip};
endmodule
