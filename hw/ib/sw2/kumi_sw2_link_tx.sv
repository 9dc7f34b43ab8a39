// SPDX-License-Identifier: Apache-2.0
//
// Makes SW2 flits of the packets of all virtual channels: in every slot the next flit of a channel
// that may go, in turn; an idle flit if there is none. A channel that is stopped, or whose source
// pauses inside a packet, does not delay another.
//
// s_axis[v]: packets, a beat a flit, all bytes; taken with slot. slot: see kumi_sw2_phy_tx; info is
//   valid in the cycle after it. stop: of the receiver beside, copied into every flit.
module kumi_sw2_link_tx
  import kumi_sw2_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis[VCS],
    input logic [VCS-1:0] go,
    input logic [VCS-1:0] stop,
    input logic slot,
    output flit_t info
);
  logic [VCS-1:0] valid, last, first_q, pick;
  logic [VCS-1:0][63:0] data;
  flit_t next;

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    if (s_axis[v].DATA_W != 64) begin : gen_check
      $fatal(0, "s_axis must have 64 bits (%m)");
    end
    assign valid[v] = s_axis[v].tvalid;
    assign last[v] = s_axis[v].tlast;
    assign data[v] = s_axis[v].tdata;
    assign s_axis[v].tready = slot && pick[v];
  end

  kumi_arbiter #(
      .N(VCS)
  ) u_arbiter (
      .clk,
      .rst,
      .req  (valid & go),
      .done (slot),
      .grant(pick)
  );

  always_comb begin
    next = '0;
    for (int v = 0; v < VCS; v++) begin
      if (pick[v]) begin
        next.vc |= 2'(v);
        next.data |= data[v];
        next.kind = first_q[v] ? FLIT_HEAD : last[v] ? FLIT_TAIL : FLIT_BODY;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (slot) begin
      info <= next;
      info.stop <= stop;
      first_q <= (first_q & ~pick) | (last & pick);
    end
    if (rst) first_q <= '1;
  end
endmodule
