// SPDX-License-Identifier: Apache-2.0
//
// Watches a payload stream and its record stream in simulation, and says in a sentence what breaks
// the rules of kumi_axis_if and kumi_rec_if. A build binds it to the ports of a user's kernels.
//
// OUT = 1, the kernel sends: a beat or record that waits stays as it is; tkeep has no hole and is
//   all ones before tlast; payload comes with a record (RECORD = 1), each frame as long as its
//   record's length says unless it is marked bad; a record of length 0 has no payload.
// OUT = 0, the kernel receives: it is ready at some time for what waits.
// A sentence is an error in the node's log, with the simulated time; at most SENTENCES of them.
// frames, last_ps: how many frames have moved, and when the last did; waits_ps: since when a beat
//   or record waits, 0 if none does. Records count where there are any, so empty datagrams do.
// Only for simulation: nothing synthesisable instantiates it.
module kumi_stream_monitor #(
    parameter logic [511:0] NAME      = "axis",  // of the payload stream, for the sentences
    parameter logic [511:0] REC_NAME  = "hdr",   // of the record stream
    parameter int           DATA_W    = 64,      // bits of tdata
    parameter bit           OUT       = 1'b1,    // 1: away from the kernel
    parameter bit           PAYLOAD   = 1'b1,    // there is a payload stream
    parameter bit           RECORD    = 1'b1,    // there is a record stream
    parameter bit           LENGTH    = 1'b1,    // its records have a length
    parameter int           REC_W     = 32,      // bits of a record
    parameter int           SENTENCES = 5,       // most that are said
    parameter int           PATIENCE  = 16384,   // cycles until what does not happen is missed
    parameter int           LONGEST   = 65536    // bytes of a frame without a length
) (
    input logic clk,
    input logic rst,

    // payload; bad: tuser[0]
    input logic [DATA_W-1:0] tdata,
    input logic [DATA_W/8-1:0] tkeep,
    input logic tvalid,
    input logic tready,
    input logic tlast,
    input logic bad,

    // records
    input logic [REC_W-1:0] rec_data,
    input logic rec_valid,
    input logic rec_ready,
    input logic [31:0] rec_length,

    // what has moved
    output logic [31:0] frames,
    output logic [63:0] last_ps,
    output logic [63:0] waits_ps
);
  localparam int KEEP_W = DATA_W / 8;
  localparam int AHEAD = 64;  // records before their payload

  // Nothing is looked at in a cycle without traffic, or it would cost a node its speed.
  logic busy;
  logic [31:0] stall_q, rec_stall_q;

  function automatic real us();
    return real'($time) / 1.0e6;
  endfunction

  if (OUT) begin : gen_out
    logic wait_q, rec_wait_q, inside_q, paired_q, long_q;
    logic [31:0] said_q, sent_q, promised_q, quiet_q, offered_q, begun_q;
    logic [31:0] length_q[AHEAD];
    logic [63:0] quiet_ps_q;
    logic [DATA_W-1:0] data_q;
    logic [KEEP_W-1:0] keep_q;
    logic last_q;
    logic [REC_W-1:0] rec_q;

    // Bytes without tkeep may change.
    function automatic logic changed();
      for (int i = 0; i < KEEP_W; ++i) begin
        if (keep_q[i] && tdata[8*i+:8] != data_q[8*i+:8]) return 1'b1;
      end
      return tkeep != keep_q || tlast != last_q;
    endfunction

    always_ff @(posedge clk) begin
      if (rst) begin
        wait_q <= 1'b0;
        rec_wait_q <= 1'b0;
        inside_q <= 1'b0;
        long_q <= 1'b0;
        said_q <= '0;
        sent_q <= '0;
        quiet_q <= '0;
        offered_q <= '0;
        begun_q <= '0;
      end else if (tvalid || rec_valid || busy) begin
        // A record counts from the cycle in which it is offered.
        automatic logic offer = LENGTH && rec_valid && !rec_wait_q && rec_length != 0;
        automatic logic moves = tvalid && tready;
        automatic logic known = offered_q != begun_q;
        automatic logic paired = inside_q ? paired_q : LENGTH && (known || offer);
        automatic
        logic [31:0]
        promised = inside_q ? promised_q : known ? length_q[begun_q%AHEAD] : rec_length;
        automatic logic [31:0] sent = sent_q + 32'(KEEP_W);
        automatic logic wrong = 1'b0;
        if (tlast) sent = sent_q + 32'($countones(tkeep));

        wait_q <= tvalid && !tready;
        rec_wait_q <= rec_valid && !rec_ready;
        if (tvalid && !tready) begin
          data_q <= tdata;
          keep_q <= tkeep;
          last_q <= tlast;
        end
        if (rec_valid && !rec_ready) rec_q <= rec_data;
        if (offer) begin
          length_q[offered_q%AHEAD] <= rec_length;
          offered_q <= offered_q + 1;
        end
        if (tvalid || !(inside_q || known)) quiet_q <= '0;
        else if (quiet_q <= PATIENCE) quiet_q <= quiet_q + 1;
        if (!tvalid && quiet_q == 0) quiet_ps_q <= $time;
        if (moves) begin
          inside_q <= !tlast;
          if (!inside_q && paired) begun_q <= begun_q + 1;
          paired_q <= paired;
          promised_q <= promised;
          sent_q <= tlast ? '0 : sent;
          long_q <= !tlast && (long_q || sent >= (paired ? promised + KEEP_W : LONGEST));
        end

        if (said_q < SENTENCES) begin
          if (wait_q && !tvalid) begin
            $display("%%Error: %0s: tvalid is withdrawn before tready came, at %0.3f us", NAME,
                     us());
            wrong = 1'b1;
          end else if (wait_q && changed()) begin
            $display("%%Error: %0s: a beat changes while it waits for tready, at %0.3f us", NAME,
                     us());
            wrong = 1'b1;
          end else if (rec_wait_q && (!rec_valid || rec_data != rec_q)) begin
            $display("%%Error: %0s: a record %0s while it waits for ready, at %0.3f us", REC_NAME,
                     rec_valid ? "changes" : "is withdrawn", us());
            wrong = 1'b1;
          end else if (moves) begin
            if (tkeep != '1 && (tkeep == '0 || (tkeep & (tkeep + 1'b1)) != '0)) begin
              $display("%%Error: %0s: tkeep %b has a hole, at %0.3f us", NAME, tkeep, us());
              wrong = 1'b1;
            end else if (!tlast && tkeep != '1) begin
              $display("%%Error: %0s: tkeep %b without tlast, at %0.3f us", NAME, tkeep, us());
              wrong = 1'b1;
            end else if (LENGTH && !inside_q && !paired) begin
              $display("%%Error: %0s: payload without a record at %0s, at %0.3f us", NAME,
                       REC_NAME, us());
              wrong = 1'b1;
            end else if (paired && tlast && !long_q && sent != promised && !bad) begin
              $display("%%Error: %0s: %0d bytes promised, %0d sent at %0.3f us", NAME, promised,
                       sent, us());
              wrong = 1'b1;
            end else if (paired && !tlast && !long_q && sent >= promised + KEEP_W) begin
              $display("%%Error: %0s: %0d bytes promised, %0d sent without tlast at %0.3f us",
                       NAME, promised, sent, us());
              wrong = 1'b1;
            end else if (!paired && !tlast && !long_q && sent >= LONGEST) begin
              $display("%%Error: %0s: no tlast in %0d bytes, at %0.3f us", NAME, sent, us());
              wrong = 1'b1;
            end
          end else if (PAYLOAD && quiet_q == PATIENCE && inside_q) begin
            $display("%%Error: %0s: %0d bytes%0s sent without tlast, then nothing since %0.3f us",
                     NAME, sent_q, paired_q ? $sformatf(" of %0d", promised_q) : "",
                     real'(quiet_ps_q) / 1.0e6);
            wrong = 1'b1;
          end else if (PAYLOAD && quiet_q == PATIENCE) begin
            $display("%%Error: %0s: %0d bytes promised, no payload at %0s since %0.3f us",
                     REC_NAME, length_q[begun_q%AHEAD], NAME, real'(quiet_ps_q) / 1.0e6);
            wrong = 1'b1;
          end
          if (wrong) said_q <= said_q + 1;
        end
      end
    end
    assign busy = wait_q || rec_wait_q || inside_q || offered_q != begun_q || waits_ps != 0;
  end else begin : gen_in
    logic was_ready_q, rec_was_ready_q;
    logic unused;

    always_ff @(posedge clk) begin
      if (rst) begin
        was_ready_q <= 1'b0;
        rec_was_ready_q <= 1'b0;
      end else begin
        if (tready) was_ready_q <= 1'b1;
        if (rec_ready) rec_was_ready_q <= 1'b1;
        if (stall_q == PATIENCE && !was_ready_q) begin
          $display("%%Error: %0s: tready is never set; a beat waits since %0.3f us", NAME,
                   real'(waits_ps) / 1.0e6);
        end
        if (rec_stall_q == PATIENCE && !rec_was_ready_q) begin
          $display("%%Error: %0s: ready is never set; a record waits since %0.3f us", REC_NAME,
                   real'(waits_ps) / 1.0e6);
        end
      end
    end
    assign busy   = waits_ps != 0;
    assign unused = bad ^ (^tdata) ^ (^tkeep) ^ (^rec_data) ^ (^rec_length);
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      stall_q <= '0;
      rec_stall_q <= '0;
      frames <= '0;
      last_ps <= '0;
      waits_ps <= '0;
    end else if (tvalid || rec_valid || busy) begin
      stall_q <= tvalid && !tready ? stall_q + 1 : '0;
      rec_stall_q <= rec_valid && !rec_ready ? rec_stall_q + 1 : '0;
      if (RECORD ? rec_valid && rec_ready : tvalid && tready && tlast) frames <= frames + 1;
      if ((tvalid && tready && tlast) || (rec_valid && rec_ready)) last_ps <= $time;
      if ((tvalid && !tready) || (rec_valid && !rec_ready)) begin
        if (waits_ps == 0) waits_ps <= $time;
      end else begin
        waits_ps <= '0;
      end
    end
  end
endmodule
