// SPDX-License-Identifier: Apache-2.0
//
// Test top: N transports side by side. Core i has address cfg_addr + i and nonce cfg.nonce +
// nonces[i]; its clock is clk, and rst_core[i] resets it alone. The test is the network between
// them.
module kumi_tb_eth_rtp
  import kumi_eth_rtp_pkg::*;
#(
    parameter int N         = 2,
    parameter int PEERS     = 4,
    parameter int WINDOW    = 16,
    parameter int TX_WINDOW = 16,
    parameter int TX_SLOTS  = 32,
    parameter int MTU       = 1536,
    parameter int PEER_W    = $clog2(PEERS)
) (
    input logic clk,
    input logic rst,
    input logic [N-1:0] rst_core,
    input logic [N-1:0][19:0] nonces,

    kumi_rec_if.snk set_peer[N],
    kumi_axis_if.snk s_msg[N],
    kumi_axis_if.src m_msg[N],
    kumi_rec_if.src m_status[N],
    kumi_axis_if.src m_frame[N],
    kumi_axis_if.snk s_frame[N],

    input  logic        [ 47:0]             cfg_addr,
    input  rtp_cfg_t                        cfg,
    input  logic        [N-1:0][PEER_W-1:0] credit_peer,
    output logic        [N-1:0]             credit_up,
    output logic        [N-1:0]             credit,
    output logic        [N-1:0]             busy,
    output rtp_events_t                     ev0,
    output rtp_events_t                     ev1
);
  rtp_events_t [N-1:0] ev;
  assign ev0 = ev[0];
  assign ev1 = ev[N>1?1 : 0];

  for (genvar i = 0; i < N; i++) begin : gen_core
    kumi_rec_if #(.W(48)) source ();
    rtp_cfg_t own;
    assign source.valid = 1'b0;
    assign source.data  = '0;
    always_comb begin
      own       = cfg;
      own.nonce = cfg.nonce + nonces[i];
    end

    kumi_eth_rtp #(
        .PEERS(PEERS),
        .WINDOW(WINDOW),
        .TX_WINDOW(TX_WINDOW),
        .TX_SLOTS(TX_SLOTS),
        .MTU(MTU)
    ) u_core (
        .clk,
        .rst(rst || rst_core[i]),
        .set_source_addr(source),
        .set_peer(set_peer[i]),
        .s_msg(s_msg[i]),
        .m_msg(m_msg[i]),
        .m_status(m_status[i]),
        .m_frame(m_frame[i]),
        .s_frame(s_frame[i]),
        .cfg_addr(cfg_addr + 48'(i)),
        .cfg(own),
        .credit_peer(credit_peer[i]),
        .credit_up(credit_up[i]),
        .credit(credit[i]),
        .busy(busy[i]),
        .ev(ev[i])
    );
  end
endmodule
