// SPDX-License-Identifier: Apache-2.0
//
// Stands for kumi_eth_rtp_rx_parser in the proof of the receiver: frames with any header, any length and
// any end. The header is what s_frame shows when a frame begins, the rest follows tvalid and tlast.
module kumi_eth_rtp_rx_parser (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_frame,
    input logic hold,
    output logic idle,
    output logic [11:0] peek_peer,
    output logic [239:0] h,
    output logic head,
    output logic p_wr,
    output logic [s_frame.DATA_W-1:0] p_data,
    output logic fin,
    output logic short_,
    output logic truncated,
    output logic bad,
    input logic next_ok
);
  typedef enum logic [1:0] {
    ST_HEAD,
    ST_LOOK,
    ST_PAY,
    ST_END
  } state_e;
  state_e state_q;

  assign s_frame.tready = 1'b1;
  assign idle = state_q == ST_HEAD;
  assign peek_peer = idle ? s_frame.tdata[111:100] : h[111:100];
  assign head = state_q == ST_LOOK;
  assign p_wr = state_q == ST_PAY && s_frame.tvalid;
  assign p_data = s_frame.tdata;
  assign fin = state_q == ST_END;

  always_ff @(posedge clk) begin
    unique case (state_q)
      ST_HEAD:
      if (s_frame.tvalid && !hold) begin
        h       <= s_frame.tdata[239:0];
        state_q <= ST_LOOK;
      end
      ST_LOOK: state_q <= ST_PAY;
      ST_PAY: begin
        {short_, truncated, bad} <= s_frame.tuser;
        if (s_frame.tlast) state_q <= ST_END;
      end
      default: if (next_ok) state_q <= ST_HEAD;
    endcase
    if (rst) state_q <= ST_HEAD;
  end
endmodule
