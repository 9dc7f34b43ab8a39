// SPDX-License-Identifier: Apache-2.0
//
// Transport layer, transmit: a non-data FIS is buffered and retransmitted until the device accepts
// it, at most RETRIES times. A Data FIS passes straight through, once; recovery from R_ERR is up to
// the command layer.
//
// s_axis: FISes, type in byte 0 of the first word. m_axis, link_done, link_code: kumi_sata_link;
//   link_code holds until the next link_done.
// done, code: one pulse per FIS of s_axis, after its last word, with its final status.
// Retransmitted after R_ERR, SYNC from the device, and time-out; not after link loss, which cancels
// the command, nor TX_YIELD: what the device sends first may forbid it. ev_retry pulses for each.
// Latency: a Data FIS 1 cycle for the inspection of its first word; others start when complete.
// Bad input: a non-data FIS of more than 7 words or with tuser[0] at tlast is not sent; a Data FIS
// longer than 2,049 words is truncated and aborted; both yield TX_BAD.
module kumi_sata_fis_tx
  import kumi_sata_pkg::*;
#(
    parameter int RETRIES = 3
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    input logic link_done,
    input tx_status_e link_code,
    output logic done,
    output tx_status_e code,
    output logic ev_retry
);
  localparam int TRY_W = RETRIES == 0 ? 1 : $clog2(RETRIES + 1);
  localparam logic [11:0] MAX = 12'(DATA_WORDS_MAX);

  if (RETRIES < 0) begin : gen_check_retries
    $fatal(0, "RETRIES must not be negative (%m)");
  end

  typedef enum logic [2:0] {
    LOOK,  // inspect the first word
    STORE,  // buffer a non-data FIS
    SEND,  // send it
    REPLY,
    DATA,  // pass a Data FIS through
    DISCARD,  // discard the rest of an overlong one
    DATA_REPLY
  } state_e;

  state_e state_q;
  (* ram_style = "distributed" *) logic [31:0] mem[8];
  logic [2:0] wr_q, rd_q, last_q;
  logic long_q;
  logic link_done_q;  // link_done arrived during DISCARD
  logic [TRY_W-1:0] try_q;
  logic [11:0] count_q;
  logic in_beat, out_beat, at_max, retry;

  assign in_beat = s_axis.tvalid && s_axis.tready;
  assign out_beat = m_axis.tvalid && m_axis.tready;
  assign at_max = count_q == MAX - 12'd1;
  assign retry = link_code inside {TX_RERR, TX_ABORT, TX_TIMEOUT} && try_q != TRY_W'(RETRIES);

  always_comb begin
    s_axis.tready   = state_q == STORE || state_q == DISCARD || (state_q == DATA && m_axis.tready);
    m_axis.tvalid   = state_q == SEND || (state_q == DATA && s_axis.tvalid);
    m_axis.tdata    = state_q == SEND ? mem[rd_q] : s_axis.tdata;
    m_axis.tlast    = state_q == SEND ? rd_q == last_q : s_axis.tlast || at_max;
    m_axis.tuser    = '0;
    m_axis.tuser[0] = state_q == DATA && (s_axis.tuser[0] || !s_axis.tlast) && m_axis.tlast;
    m_axis.tkeep    = '1;
    m_axis.tid      = '0;
    m_axis.tdest    = '0;
  end

  always_ff @(posedge clk) begin
    done     <= 1'b0;
    ev_retry <= 1'b0;
    if (state_q == STORE && in_beat) begin
      mem[wr_q] <= s_axis.tdata;
      wr_q      <= wr_q + 1'b1;
      if (wr_q == 3'd7) long_q <= 1'b1;
    end
    if (state_q == SEND && out_beat) rd_q <= rd_q + 1'b1;
    if (state_q == DATA && out_beat) count_q <= count_q + 1'b1;
    case (state_q)
      LOOK: begin
        wr_q    <= '0;
        rd_q    <= '0;
        long_q  <= 1'b0;
        try_q   <= '0;
        count_q <= '0;
        link_done_q  <= 1'b0;
        if (s_axis.tvalid) state_q <= s_axis.tdata[7:0] == FIS_DATA ? DATA : STORE;
      end
      STORE:
      if (in_beat && s_axis.tlast) begin
        last_q <= wr_q;
        if (long_q || wr_q == 3'd7 || s_axis.tuser[0]) begin
          done    <= 1'b1;
          code    <= TX_BAD;
          state_q <= LOOK;
        end else begin
          state_q <= SEND;
        end
      end
      SEND: if (out_beat && rd_q == last_q) state_q <= REPLY;
      REPLY:
      if (link_done) begin
        rd_q <= '0;
        if (retry) begin
          try_q    <= try_q + 1'b1;
          ev_retry <= 1'b1;
          state_q  <= SEND;
        end else begin
          done    <= 1'b1;
          code    <= link_code;
          state_q <= LOOK;
        end
      end
      DATA: if (out_beat && m_axis.tlast) state_q <= s_axis.tlast ? DATA_REPLY : DISCARD;
      DISCARD: begin
        if (link_done) link_done_q <= 1'b1;
        if (in_beat && s_axis.tlast) state_q <= DATA_REPLY;
      end
      default:  // DATA_REPLY
      if (link_done || link_done_q) begin
        done    <= 1'b1;
        code    <= link_code;
        state_q <= LOOK;
      end
    endcase
    if (rst) begin
      state_q  <= LOOK;
      done     <= 1'b0;
      ev_retry <= 1'b0;
    end
  end
endmodule
