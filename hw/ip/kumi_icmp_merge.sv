// SPDX-License-Identifier: Apache-2.0
//
// Merges two sources of ICMP messages, echo replies (e_*) and errors (u_*), into one: record t_*
//   and payload p_*, payloads in the order of the records, one with each.
//
// An error waits until no echo reply is between its record and the end of its payload; while one
//   waits, no further reply begins. Errors are rare (kumi_icmp_limit), so replies lose nothing.
// Latency 1 cycle for records, 2 from a record to its payload; one beat and one record per cycle.
module kumi_icmp_merge
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat
) (
    input  logic                  clk,
    input  logic                  rst,
    input  ip_tx_t                e,
    input  logic                  e_valid,
    output logic                  e_ready,
    input  logic   [  DATA_W-1:0] e_p_data,
    input  logic   [DATA_W/8-1:0] e_p_keep,
    input  logic                  e_p_valid,
    output logic                  e_p_ready,
    input  logic                  e_p_last,
    input  ip_tx_t                u,
    input  logic                  u_valid,
    output logic                  u_ready,
    input  logic   [  DATA_W-1:0] u_p_data,
    input  logic   [DATA_W/8-1:0] u_p_keep,
    input  logic                  u_p_valid,
    output logic                  u_p_ready,
    input  logic                  u_p_last,
    output ip_tx_t                t,
    output logic                  t_valid,
    input  logic                  t_ready,
    output logic   [  DATA_W-1:0] p_data,
    output logic   [DATA_W/8-1:0] p_keep,
    output logic                  p_valid,
    input  logic                  p_ready,
    output logic                  p_last
);
  logic error_q;  // an error is being sent
  logic p_free, move, move_last;
  logic [4:0] open_q;  // replies between record and end of payload

  logic t_free, begun;
  assign t_free = !t_valid || t_ready;
  assign u_ready = t_free && !error_q && open_q == '0;
  assign e_ready = t_free && !error_q && !u_valid && !open_q[4];

  // The payload of a reply whose record has not been taken may have to wait for an error's.
  assign begun = error_q || open_q != '0;
  assign p_free = !p_valid || p_ready;
  assign e_p_ready = p_free && !error_q && begun;
  assign u_p_ready = p_free && error_q;
  assign move = p_free && begun && (error_q ? u_p_valid : e_p_valid);
  assign move_last = move && (error_q ? u_p_last : e_p_last);

  always_ff @(posedge clk) begin
    if (t_ready) t_valid <= 1'b0;
    if (u_valid && u_ready) begin
      t <= u;
      t_valid <= 1'b1;
      error_q <= 1'b1;
    end else if (e_valid && e_ready) begin
      t <= e;
      t_valid <= 1'b1;
    end
    if (p_free) begin
      p_valid <= move;
      p_data  <= error_q ? u_p_data : e_p_data;
      p_keep  <= error_q ? u_p_keep : e_p_keep;
      p_last  <= error_q ? u_p_last : e_p_last;
    end
    open_q <= open_q + 5'(e_valid && e_ready) - 5'(move_last && !error_q);
    if (move_last) error_q <= 1'b0;
    if (rst) begin
      t_valid <= 1'b0;
      error_q <= 1'b0;
      open_q  <= '0;
      p_valid <= 1'b0;
    end
  end
endmodule
