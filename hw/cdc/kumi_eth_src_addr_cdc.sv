// SPDX-License-Identifier: Apache-2.0
//
// Source address of the Ethernet controller, in the clocks of the kernel and of the MAC's receiver.
//
// s_source: 48-bit addresses, first byte on the wire in [47:40]; the next one is taken when the
//   last has arrived in rx_clk (about 6 cycles of the slower clock).
// cfg_addr: address from reset on, constant during reset.
// src changes in the cycle after the record, own some cycles later. The crossing is a toggle and
//   its answer; own samples src when it cannot change (constrain as a path of one period).
module kumi_eth_src_addr_cdc (
    input  logic                  clk,
    input  logic                  rst,
           kumi_rec_if.snk        s_source,
    input  logic           [47:0] cfg_addr,
    output logic           [47:0] src,
    input  logic                  rx_clk,
    input  logic                  rx_rst,
    output logic           [47:0] own
);
  logic ask_q, seen_q, asked, answered;

  if (s_source.W != 48) begin : gen_check_w
    $fatal(0, "s_source carries 48 bits (%m)");
  end

  kumi_cdc_sync u_sync_ask (
      .clk(rx_clk),
      .d  (ask_q),
      .q  (asked)
  );

  kumi_cdc_sync u_sync_answer (
      .clk,
      .d(seen_q),
      .q(answered)
  );

  assign s_source.ready = ask_q == answered;

  always_ff @(posedge clk) begin
    if (s_source.valid && s_source.ready) begin
      src   <= s_source.data;
      ask_q <= !ask_q;
    end
    if (rst) begin
      src   <= cfg_addr;
      ask_q <= 1'b0;
    end
  end

  always_ff @(posedge rx_clk) begin
    seen_q <= asked;
    if (asked != seen_q) own <= src;
    if (rx_rst) begin
      own    <= cfg_addr;
      seen_q <= 1'b0;
    end
  end
endmodule
