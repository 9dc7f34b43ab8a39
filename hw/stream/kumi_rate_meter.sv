// SPDX-License-Identifier: Apache-2.0
//
// Measures a stream in windows of a fixed number of cycles.
//
// axis: the stream (monitor side; it drives nothing).
// window: cycles of a window, sampled when one begins; 0 stops the meter after the current window.
// done: one pulse when a window has ended; the results hold from then until the next pulse:
//   bytes, beats, frames (last beats), bad_frames (of those, with tuser[0]),
//   stalled (tvalid without tready), idle (no tvalid). beats + stalled + idle = the window.
// Counters wrap at CNT_W bits. Results come 2 cycles after the beats they count.
module kumi_rate_meter #(
    parameter int CNT_W = 32  // bits of the counters and of window
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.mon axis,
    input logic [CNT_W-1:0] window,
    output logic done,
    output logic [CNT_W-1:0] bytes,
    output logic [CNT_W-1:0] beats,
    output logic [CNT_W-1:0] frames,
    output logic [CNT_W-1:0] bad_frames,
    output logic [CNT_W-1:0] stalled,
    output logic [CNT_W-1:0] idle
);
  localparam int COUNT_W = $clog2(axis.KEEP_W + 1);

  // One register stage keeps the meter out of the stream's timing.
  logic [COUNT_W-1:0] count, count_q;
  logic beat_q, frame_q, bad_q, stall_q, idle_q;

  kumi_keep_to_count #(
      .KEEP_W(axis.KEEP_W)
  ) u_count (
      .keep (axis.tkeep),
      .count(count)
  );

  always_ff @(posedge clk) begin
    count_q <= axis.tvalid && axis.tready ? count : '0;
    beat_q  <= axis.tvalid && axis.tready;
    frame_q <= axis.tvalid && axis.tready && axis.tlast;
    bad_q   <= axis.tvalid && axis.tready && axis.tlast && axis.tuser[0];
    stall_q <= axis.tvalid && !axis.tready;
    idle_q  <= !axis.tvalid;
  end

  // left_q counts the cycles of the window that are still to come; a window of n has n samples.
  logic [CNT_W-1:0] left_q, bytes_q, beats_q, frames_q, bad_frames_q, stalled_q, idle_cycles_q;
  logic run_q, end_of_window;
  assign end_of_window = run_q && left_q == '0;

  always_ff @(posedge clk) begin
    done <= 1'b0;
    if (run_q) begin
      left_q        <= left_q - 1'b1;
      bytes_q       <= bytes_q + CNT_W'(count_q);
      beats_q       <= beats_q + CNT_W'(beat_q);
      frames_q      <= frames_q + CNT_W'(frame_q);
      bad_frames_q  <= bad_frames_q + CNT_W'(bad_q);
      stalled_q     <= stalled_q + CNT_W'(stall_q);
      idle_cycles_q <= idle_cycles_q + CNT_W'(idle_q);
    end
    if (end_of_window) begin
      done       <= 1'b1;
      bytes      <= bytes_q + CNT_W'(count_q);
      beats      <= beats_q + CNT_W'(beat_q);
      frames     <= frames_q + CNT_W'(frame_q);
      bad_frames <= bad_frames_q + CNT_W'(bad_q);
      stalled    <= stalled_q + CNT_W'(stall_q);
      idle       <= idle_cycles_q + CNT_W'(idle_q);
    end
    if (!run_q || end_of_window) begin
      run_q         <= window != '0;
      left_q        <= window - 1'b1;
      bytes_q       <= '0;
      beats_q       <= '0;
      frames_q      <= '0;
      bad_frames_q  <= '0;
      stalled_q     <= '0;
      idle_cycles_q <= '0;
    end
    if (rst) begin
      run_q <= 1'b0;
      done  <= 1'b0;
    end
  end
endmodule
