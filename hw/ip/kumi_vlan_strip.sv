// SPDX-License-Identifier: Apache-2.0
//
// Strips the 802.1Q tag (IEEE 802.1Q-2018, 9.6) from Ethernet frames and numbers their beats, so
// that every header field has a fixed place.
//
// s_axis: frames from the destination address on, tuser[0] with tlast: bad.
// u_*: the frames without tag, u_valid/u_ready. Combinational after one register; u_valid waits, in
//   a tagged frame only, for the next beat on s_axis. u_index is the beat number in the frame,
//   saturating at 7. u_tagged and u_tci are valid on the beat with byte 12 (TAG_BEAT).
// Latency 1 cycle, one beat per cycle. Only the outer tag (0x8100) is stripped.
// Bad input: frames too short for a whole tag pass unchanged.
module kumi_vlan_strip #(
    parameter int DATA_W = 64  // bits of a beat
) (
    input  logic                           clk,
    input  logic                           rst,
           kumi_axis_if.snk                s_axis,
    output logic            [  DATA_W-1:0] u_data,
    output logic            [DATA_W/8-1:0] u_keep,
    output logic                           u_valid,
    input  logic                           u_ready,
    output logic                           u_last,
    output logic                           u_bad,
    output logic            [         2:0] u_index,
    output logic                           u_tagged,
    output logic            [        15:0] u_tci
);
  localparam int B = DATA_W / 8;
  localparam int TAG_BEAT = 12 / B;
  localparam int TAG_LANE = 12 % B;

  if (DATA_W != 64 && DATA_W != 128 && DATA_W != 256 && DATA_W != 512) begin : gen_check_w
    $fatal(0, "DATA_W must be 64, 128, 256 or 512 (%m)");
  end
  if (s_axis.DATA_W != DATA_W) begin : gen_check_if
    $fatal(0, "s_axis is not DATA_W wide (%m)");
  end

  logic [DATA_W-1:0] data_q;
  logic [B-1:0] keep_q;
  logic valid_q, last_q, bad_q, tagged_q;
  logic [2:0] index_q;
  logic tag_beat, tag_here, absorb;

  assign tag_beat = index_q == 3'(TAG_BEAT);
  assign tag_here = keep_q[TAG_LANE+3] && data_q[8*TAG_LANE+:16] == 16'h0081;  // bytes 81 00
  assign u_tagged = tag_beat ? tag_here : tagged_q;
  assign u_tci    = {data_q[8*(TAG_LANE+2)+:8], data_q[8*(TAG_LANE+3)+:8]};

  // The next beat holds only the four bytes that move into this one.
  assign absorb   = u_tagged && !last_q && s_axis.tvalid && s_axis.tlast && !s_axis.tkeep[4];

  assign u_index  = index_q;
  assign u_valid  = valid_q && (!u_tagged || last_q || s_axis.tvalid);
  assign u_last   = last_q || absorb;
  assign u_bad    = last_q ? bad_q : s_axis.tuser[0];

  for (genvar j = 0; j < B; j++) begin : gen_lane
    if (j + 4 < B) begin : gen_own
      logic stay;
      assign stay = !u_tagged || (j < TAG_LANE && tag_beat);
      assign u_data[8*j+:8] = stay ? data_q[8*j+:8] : data_q[8*(j+4)+:8];
      assign u_keep[j] = stay ? keep_q[j] : keep_q[j+4];
    end else begin : gen_next
      assign u_data[8*j+:8] = u_tagged ? s_axis.tdata[8*(j+4-B)+:8] : data_q[8*j+:8];
      assign u_keep[j] = u_tagged ? s_axis.tkeep[j+4-B] && !last_q : keep_q[j];
    end
  end

  assign s_axis.tready = !valid_q || u_ready;

  always_ff @(posedge clk) begin
    if (s_axis.tvalid && s_axis.tready) begin
      data_q <= s_axis.tdata;
      keep_q <= s_axis.tkeep;
      last_q <= s_axis.tlast;
      bad_q  <= s_axis.tuser[0];
    end
    if (s_axis.tvalid && s_axis.tready) valid_q <= !(valid_q && absorb);
    else if (u_valid && u_ready) valid_q <= 1'b0;
    if (u_valid && u_ready) begin
      tagged_q <= u_tagged && !u_last;
      if (u_last) index_q <= '0;
      else if (index_q != 3'd7) index_q <= index_q + 1'b1;
    end
    if (rst) begin
      valid_q  <= 1'b0;
      tagged_q <= 1'b0;
      index_q  <= '0;
    end
  end
endmodule
