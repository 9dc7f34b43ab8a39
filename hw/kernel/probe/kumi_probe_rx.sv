// SPDX-License-Identifier: Apache-2.0
//
// Receives the UDP datagrams of one port and checks them as probes.
//
// s_hdr, s_axis: a record and its payload frame, which may start in the same cycle; the next record
//   is accepted with the last beat. Never asserts back-pressure.
// res_valid: a pulse per datagram of the port with the result, 3 cycles after its last beat.
// drop_port: a pulse per datagram of another port; empty: a pulse per datagram without payload.
module kumi_probe_rx
  import kumi_ip_pkg::*;
  import kumi_probe_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [63:0] now,
    input logic [15:0] port,  // 0: every port
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    output logic res_valid,
    output probe_res_t res,
    output logic drop_port,
    output logic empty,
    output logic busy  // within a datagram
);
  udp_hdr_t hdr;
  logic active_q, pass_q;  // a payload frame is due; it is ours
  logic ours, take, beat, pass;

  assign hdr = udp_hdr_t'(s_hdr.data);
  assign ours = port == '0 || hdr.local_port == port;
  assign beat = s_axis.tvalid && s_axis.tready;
  assign pass = active_q ? pass_q : ours;
  assign s_axis.tready = active_q || (s_hdr.valid && hdr.length != '0);
  assign s_hdr.ready = !active_q || (beat && s_axis.tlast);
  assign take = s_hdr.valid && s_hdr.ready;

  always_ff @(posedge clk) begin
    if (beat && s_axis.tlast) active_q <= 1'b0;
    if (take) begin
      active_q <= hdr.length != '0 && (active_q || !(beat && s_axis.tlast));
      pass_q   <= ours;
    end
    drop_port <= take && !ours;
    empty <= take && ours && hdr.length == '0;
    if (rst) begin
      active_q  <= 1'b0;
      drop_port <= 1'b0;
      empty     <= 1'b0;
    end
  end

  kumi_probe_check #(
      .DATA_W(s_axis.DATA_W)
  ) u_check (
      .clk,
      .rst,
      .now,
      .s_beat(beat && pass),
      .s_data(s_axis.tdata),
      .s_keep(s_axis.tkeep),
      .s_last(s_axis.tlast),
      .s_bad (s_axis.tuser[0]),
      .res_valid,
      .res
  );

  assign busy = active_q;

  logic unused;
  assign unused = ^hdr;
endmodule
