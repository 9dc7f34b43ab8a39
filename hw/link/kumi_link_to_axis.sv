// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a serial link as AXI4-Stream frames. Combinational, one beat to one beat.
//
// s: see kumi_link_if; all beats but the last of a frame must be full. m_axis: DATA_W = 64 * LANES;
// tuser[0] with tlast marks a bad frame.
module kumi_link_to_axis #(
    parameter int LANES = 1  // blocks of a beat, 1..4
) (
    kumi_link_if.snk s,
    kumi_axis_if.src m_axis
);
  if (m_axis.DATA_W != 64 * LANES) begin : gen_check_w
    $fatal(0, "m_axis.DATA_W must be 64 * LANES (%m)");
  end

  localparam int COUNT_W = $clog2(8 * LANES + 1);
  logic [5:0] bytes;

  assign bytes = {s.count, 3'b000} - 6'(s.pad);

  kumi_count_to_keep #(
      .KEEP_W(8 * LANES)
  ) u_keep (
      .count(COUNT_W'(bytes)),
      .keep (m_axis.tkeep)
  );

  for (genvar b = 0; b < LANES; b++) begin : gen_block
    for (genvar i = 0; i < 8; i++) begin : gen_byte
      assign m_axis.tdata[64*b+8*i+:8] = s.data[b][56-8*i+:8];
    end
  end

  assign m_axis.tvalid = s.valid;
  assign m_axis.tlast  = s.last;
  assign m_axis.tuser  = m_axis.USER_W'(s.bad);
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = '0;
  assign s.ready       = m_axis.tready;

  if (COUNT_W < 6) begin : gen_unused
    logic unused;
    assign unused = ^bytes[5:COUNT_W];
  end
endmodule
