// SPDX-License-Identifier: Apache-2.0
//
// Queue of accepted writes and closes whose data are still to arrive. The entries of a session that
// has ended can be marked dead.
//
// s_*: pushes s_data of session s_sid with s_valid; room: space for two more.
// m_*: the oldest entry; m_dead: its number was reused meanwhile.
// kill_*: marks the queued entries of a session dead (m_dead one cycle later; nothing may be popped
//   in that cycle).
// Latency 1 cycle. One entry per cycle each way.
module kumi_tcp_tx_job_queue #(
    parameter int W     = 8,  // bits of an entry
    parameter int IDX_W = 4,  // bits of a session number
    parameter int DEPTH = 16  // entries, a power of two, 4 or more
) (
    input  logic             clk,
    input  logic             rst,
    input  logic [    W-1:0] s_data,
    input  logic [IDX_W-1:0] s_sid,
    input  logic             s_valid,
    output logic             room,
    input  logic [IDX_W-1:0] kill_sid,
    input  logic             kill_valid,
    output logic [    W-1:0] m_data,
    output logic [IDX_W-1:0] m_sid,
    output logic             m_dead,
    output logic             m_valid,
    input  logic             m_ready
);
  localparam int PTR_W = $clog2(DEPTH);

  (* ram_style = "distributed", no_rw_check *) logic [W-1:0] mem[DEPTH];
  logic [DEPTH-1:0][IDX_W-1:0] sid_q;
  logic [DEPTH-1:0] dead_q;
  logic [PTR_W:0] wr_q, rd_q, held;

  assign held = wr_q - rd_q;
  assign room = held < (PTR_W + 1)'(DEPTH - 1);
  assign m_valid = held != '0;
  assign m_data = mem[rd_q[PTR_W-1:0]];
  assign m_sid = sid_q[rd_q[PTR_W-1:0]];
  assign m_dead = dead_q[rd_q[PTR_W-1:0]];

  always_ff @(posedge clk) begin
    if (s_valid) mem[wr_q[PTR_W-1:0]] <= s_data;
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < DEPTH; i++) begin
      if (kill_valid && sid_q[i] == kill_sid) dead_q[i] <= 1'b1;
    end
    if (s_valid) begin
      sid_q[wr_q[PTR_W-1:0]] <= s_sid;
      dead_q[wr_q[PTR_W-1:0]] <= 1'b0;
      wr_q <= wr_q + 1'b1;
    end
    if (m_valid && m_ready) rd_q <= rd_q + 1'b1;
    if (rst) begin
      wr_q <= '0;
      rd_q <= '0;
    end
  end
endmodule
