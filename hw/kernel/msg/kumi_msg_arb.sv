// SPDX-License-Identifier: Apache-2.0
//
// Arbiter: two kernels send through one port, one message at a time, in turns.
//
// s_rec, s_axis: record (msg_rec_t) and message of each kernel, the record at least a cycle before
//   the first beat. m_rec, m_axis: of the selected one.
// Latency 0; one beat a cycle, no idle cycle between messages.
// A kernel that offers a record must send its message: the other one waits for its end.
module kumi_msg_arb (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_rec[2],
    kumi_axis_if.snk s_axis[2],
    kumi_rec_if.src m_rec,
    kumi_axis_if.src m_axis
);
  logic data_q, owner_q;  // within a message; whose
  logic free, sel, ends;

  assign ends = m_axis.tvalid && m_axis.tready && m_axis.tlast;
  assign free = !data_q || ends;
  // The one that was not served last goes first.
  assign sel = owner_q ? !s_rec[0].valid : s_rec[1].valid;

  assign m_rec.valid = free && (s_rec[0].valid || s_rec[1].valid);
  assign m_rec.data = sel ? s_rec[1].data : s_rec[0].data;
  assign s_rec[0].ready = free && !sel && m_rec.ready;
  assign s_rec[1].ready = free && sel && m_rec.ready;

  assign m_axis.tvalid = data_q && (owner_q ? s_axis[1].tvalid : s_axis[0].tvalid);
  assign m_axis.tdata = owner_q ? s_axis[1].tdata : s_axis[0].tdata;
  assign m_axis.tkeep = owner_q ? s_axis[1].tkeep : s_axis[0].tkeep;
  assign m_axis.tlast = owner_q ? s_axis[1].tlast : s_axis[0].tlast;
  assign m_axis.tuser = owner_q ? s_axis[1].tuser : s_axis[0].tuser;
  assign m_axis.tdest = owner_q ? s_axis[1].tdest : s_axis[0].tdest;
  assign m_axis.tid = '0;
  assign s_axis[0].tready = data_q && !owner_q && m_axis.tready;
  assign s_axis[1].tready = data_q && owner_q && m_axis.tready;

  always_ff @(posedge clk) begin
    if (ends) data_q <= 1'b0;
    if (m_rec.valid && m_rec.ready) begin
      data_q  <= 1'b1;
      owner_q <= sel;
    end
    if (rst) begin
      data_q  <= 1'b0;
      owner_q <= 1'b0;
    end
  end
endmodule
