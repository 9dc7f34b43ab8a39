// SPDX-License-Identifier: Apache-2.0
//
// FIS parser of the command layer: one record per received FIS, and the payload of Data FISes.
//
// s_axis: FISes from kumi_sata_transport, already of legal type and length.
// rec, rec_valid, rec_ready: records in order. The payload of a Data FIS flows once its record
//   FIS_DATA_BEGIN is taken: to m_axis if to_user is high then, at most `limit` words; the record
//   FIS_DATA_END follows.
// d_valid, d_data, d_index: every payload word within `limit` as it is consumed, numbered within
//   its FIS.
// m_axis: one frame per Data FIS; tuser[0] with tlast: bad. idle: empty.
// Latency: a record 1 cycle after the last word of its FIS (FIS_DATA_BEGIN: after the first);
// payload 0 cycles, combinational in both directions.
// Bad input: payload beyond `limit` is discarded, and frame and record are marked bad.
module kumi_sata_cmd_rx
  import kumi_sata_pkg::*;
  import kumi_sata_cmd_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic rec_valid,
    input logic rec_ready,
    output sata_fis_info_t rec,
    input logic to_user,
    input logic [11:0] limit,
    output logic d_valid,
    output logic [31:0] d_data,
    output logic [11:0] d_index,
    output logic idle
);
  typedef enum logic [1:0] {
    WORDS,   // of a non-data FIS
    RECORD,
    FLOW,
    ENDED
  } state_e;

  state_e state_q;
  logic [2:0] index_q;
  logic [7:0] kind_q;
  logic user_q, over_q, bad_q;
  logic [11:0] count_q, count_next, limit_q;
  sata_fis_info_t rec_q;
  logic beat, at_limit_q;  // the next word of payload is the last one allowed

  assign beat = s_axis.tvalid && s_axis.tready;
  assign count_next = count_q + 12'd1;
  assign idle = state_q == WORDS && index_q == '0 && !s_axis.tvalid;
  assign rec_valid = state_q == RECORD || state_q == ENDED;
  always_comb begin
    rec = rec_q;
    if (state_q == ENDED) begin
      rec.kind = FIS_DATA_END;
      rec.bad  = bad_q;
    end
    rec.words = count_q;
  end

  assign d_valid = state_q == FLOW && beat && !over_q;
  assign d_data  = s_axis.tdata;
  assign d_index = count_q;

  always_comb begin
    s_axis.tready   = state_q == WORDS || (state_q == FLOW && (!user_q || over_q || m_axis.tready));
    m_axis.tvalid   = state_q == FLOW && user_q && !over_q && s_axis.tvalid;
    m_axis.tdata    = s_axis.tdata;
    m_axis.tlast    = s_axis.tlast || at_limit_q;
    m_axis.tuser    = '0;
    m_axis.tuser[0] = m_axis.tlast && (s_axis.tuser[0] || !s_axis.tlast);
    m_axis.tkeep    = '1;
    m_axis.tid      = '0;
    m_axis.tdest    = '0;
  end

  always_ff @(posedge clk) begin
    case (state_q)
      WORDS:
      if (beat) begin
        index_q <= index_q + 1'b1;
        case (index_q)
          3'd0: begin
            kind_q         <= s_axis.tdata[7:0];
            rec_q.status   <= s_axis.tdata[23:16];
            rec_q.error    <= s_axis.tdata[31:24];
            rec_q.to_host  <= s_axis.tdata[13];
            rec_q.activate <= s_axis.tdata[15];
            case (s_axis.tdata[7:0])
              FIS_DMA_ACTIVATE: rec_q.kind <= FIS_ACTIVATE;
              FIS_DMA_SETUP: rec_q.kind <= FIS_SETUP;
              FIS_SET_DEVICE_BITS: begin
                rec_q.kind   <= FIS_SDB;
                rec_q.status <= {1'b0, s_axis.tdata[22:20], 1'b0, s_axis.tdata[18:16]};
              end
              FIS_PIO_SETUP: rec_q.kind <= FIS_PIO;
              FIS_DATA: rec_q.kind <= FIS_DATA_BEGIN;
              default: rec_q.kind <= FIS_REG;
            endcase
          end
          3'd1: begin
            rec_q.bits      <= s_axis.tdata;
            rec_q.lba[23:0] <= s_axis.tdata[23:0];
          end
          3'd2: rec_q.lba[47:24] <= s_axis.tdata[23:0];
          3'd3: rec_q.e_status <= s_axis.tdata[31:24];
          3'd4: rec_q.offset <= s_axis.tdata[24:0];
          3'd5: rec_q.bytes <= s_axis.tdata[25:0];
          default: ;
        endcase
        if (s_axis.tlast || (index_q == '0 && s_axis.tdata[7:0] == FIS_DATA)) begin
          index_q <= '0;
          // A Data FIS aborted before its first payload word is ignored.
          if (!(s_axis.tlast && index_q == '0 && s_axis.tdata[7:0] == FIS_DATA)) begin
            state_q <= RECORD;
          end
        end
      end
      RECORD: begin
        count_q <= '0;
        rec_q.bad <= 1'b0;
        rec_q.words <= '0;
        over_q <= limit == '0;
        bad_q <= 1'b0;
        user_q <= to_user;
        limit_q <= limit;
        at_limit_q <= limit == 12'd1;
        if (rec_ready) state_q <= kind_q == FIS_DATA ? FLOW : WORDS;
      end
      FLOW:
      if (beat) begin
        if (!over_q) count_q <= count_next;
        at_limit_q <= count_q + 12'd2 == limit_q;
        if (at_limit_q && !s_axis.tlast) over_q <= 1'b1;
        if (s_axis.tlast) begin
          bad_q   <= s_axis.tuser[0] || over_q;
          state_q <= ENDED;
        end
      end
      default: if (rec_ready) state_q <= WORDS;  // ENDED
    endcase
    if (rst) begin
      state_q <= WORDS;
      index_q <= '0;
    end
  end
endmodule
