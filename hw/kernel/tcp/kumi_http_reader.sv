// SPDX-License-Identifier: Apache-2.0
//
// Reads what a client of kumi_http sent, from the TCP engine.
//
// start: read `length` bytes (at least one) of session `sid`: READ_KEEP: at most REQUEST_BYTES,
//   into the session's buffer; READ_PASS: to put and put_byte; READ_DROP: nowhere. All are held
//   until `done`; whole, with it: they came. Else the session has ended and none is used.
// data: byte `pos` of the buffer of session `sid`, a cycle later.
// Throughput: a byte a cycle, dropped bytes a beat a cycle.
module kumi_http_reader
  import kumi_tcp_pkg::*;
  import kumi_http_pkg::*;
#(
    parameter int SESSIONS = 64  // session numbers, a power of two
) (
    input logic clk,
    input logic rst,
    input logic start,
    input logic [SID_W-1:0] sid,
    input logic [15:0] length,
    input http_read_e mode,
    output logic done,
    output logic whole,
    output logic put,
    output logic [7:0] put_byte,
    input logic [REQUEST_W-1:0] pos,
    output logic [7:0] data,
    kumi_rec_if.src m_read,
    kumi_rec_if.snk s_read_rsp,
    kumi_axis_if.snk s_axis
);
  localparam int SID_BITS = $clog2(SESSIONS);
  localparam int KEEP_W = s_axis.KEEP_W;

  typedef enum logic [2:0] {
    REST,
    READ,
    READ_RSP,
    DROP,
    TAKE,
    SHIFT,
    DONE
  } state_e;

  state_e state_q;
  tcp_read_rsp_t rsp;
  logic [s_axis.DATA_W-1:0] beat_q;
  logic [KEEP_W-1:0] keep_q;
  logic [REQUEST_W-1:0] fill_q;
  logic last_q, beat_end;

  (* ram_style = "block", no_rw_check *) logic [7:0] request_mem[SESSIONS*REQUEST_BYTES];

  assign rsp = tcp_read_rsp_t'(s_read_rsp.data);
  assign m_read.valid = state_q == READ;
  assign m_read.data = {sid, length};
  assign s_read_rsp.ready = state_q == READ_RSP;
  assign beat_end = !keep_q[1];
  assign s_axis.tready = state_q == TAKE || state_q == DROP
      || (state_q == SHIFT && beat_end && !last_q);
  assign done = state_q == DONE;
  assign put = state_q == SHIFT && mode == READ_PASS;
  assign put_byte = beat_q[7:0];

  always_ff @(posedge clk) begin
    case (state_q)
      REST: if (start) state_q <= READ;
      READ: if (m_read.ready) state_q <= READ_RSP;
      READ_RSP:
      if (s_read_rsp.valid) begin
        whole   <= rsp.length == length;
        fill_q  <= '0;
        state_q <= mode == READ_DROP || rsp.length != length ? DROP : TAKE;
        if (rsp.length == '0) state_q <= DONE;
      end
      DROP: if (s_axis.tvalid && s_axis.tlast) state_q <= DONE;
      TAKE: if (s_axis.tvalid) state_q <= SHIFT;
      SHIFT: begin
        beat_q <= beat_q >> 8;
        keep_q <= keep_q >> 1;
        fill_q <= fill_q + 1'b1;
        if (beat_end) state_q <= last_q ? DONE : s_axis.tvalid ? SHIFT : TAKE;
      end
      default: state_q <= REST;
    endcase
    if (s_axis.tvalid && s_axis.tready) begin
      beat_q <= s_axis.tdata;
      keep_q <= s_axis.tkeep;
      last_q <= s_axis.tlast;
    end
    if (rst) state_q <= REST;
  end

  always_ff @(posedge clk) begin
    if (state_q == SHIFT && mode == READ_KEEP)
      request_mem[{sid[SID_BITS-1:0], fill_q}] <= beat_q[7:0];
    data <= request_mem[{sid[SID_BITS-1:0], pos}];
  end

  logic unused;
  assign unused = ^{rsp, s_axis.tuser, s_axis.tid, s_axis.tdest};
endmodule
