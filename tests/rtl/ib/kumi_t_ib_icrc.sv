// SPDX-License-Identifier: Apache-2.0
//
// ICRC insertion and check, each between streams of its own.
module kumi_t_ib_icrc (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis_ins,
    kumi_axis_if.src m_axis_ins,
    kumi_axis_if.snk s_axis_chk,
    kumi_axis_if.src m_axis_chk,
    output logic ev_bad
);
  kumi_ib_icrc_insert u_insert (
      .clk,
      .rst,
      .s_axis(s_axis_ins),
      .m_axis(m_axis_ins)
  );
  kumi_ib_icrc_check u_check (
      .clk,
      .rst,
      .s_axis(s_axis_chk),
      .m_axis(m_axis_chk),
      .ev_bad
  );
endmodule
