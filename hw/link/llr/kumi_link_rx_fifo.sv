// SPDX-License-Identifier: Apache-2.0
//
// Buffer behind a receiver that cannot stall. If the other side ignores flow control and it
// overflows, frames are truncated and marked bad.
//
// s: beats, s.ready is always high. m: the same frames; a truncated one ends with a beat that is
//   last and bad. A frame of which no beat was stored is dropped without trace. `overrun` pulses
//   once per frame that loses beats.
// depth: beats in the memory. Latency: 3 cycles (2 up to 64 beats).
module kumi_link_rx_fifo #(
    parameter int LANES = 1,   // blocks of a beat
    parameter int DEPTH = 512  // beats, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_link_if.snk s,
    kumi_link_if.src m,
    output logic [$clog2(DEPTH):0] depth,
    output logic overrun
);
  localparam int W = LANES * 64 + 8;

  logic valid, ready;
  logic [W-1:0] beat;
  logic inside_q;  // part of the frame at s is in the FIFO
  logic lost_q;  // the rest of the frame at s is discarded
  logic owed_q;  // a frame in the FIFO lacks its end

  assign s.ready = 1'b1;
  assign valid = owed_q || (s.valid && !lost_q);
  assign beat = owed_q ? {1'b1, 1'b1, 3'd0, 3'd1, (LANES * 64)'(0)}
                       : {s.bad, s.last, s.pad, s.count, s.data};

  always_ff @(posedge clk) begin
    overrun <= 1'b0;
    if (valid && ready && owed_q) owed_q <= 1'b0;
    if (s.valid) begin
      if (s.last) begin
        inside_q <= 1'b0;
        lost_q   <= 1'b0;
      end
      if (!lost_q && (owed_q || !ready)) begin
        overrun <= 1'b1;
        lost_q  <= !s.last;
        owed_q  <= owed_q && !ready || inside_q;
      end else if (!lost_q && !s.last) begin
        inside_q <= 1'b1;
      end
    end
    if (rst) begin
      overrun  <= 1'b0;
      inside_q <= 1'b0;
      lost_q   <= 1'b0;
      owed_q   <= 1'b0;
    end
  end

  kumi_fifo #(
      .W(W),
      .DEPTH(DEPTH)
  ) u_fifo (
      .clk,
      .rst,
      .s_data (beat),
      .s_valid(valid),
      .s_ready(ready),
      .m_data ({m.bad, m.last, m.pad, m.count, m.data}),
      .m_valid(m.valid),
      .m_ready(m.ready),
      .depth
  );
endmodule
