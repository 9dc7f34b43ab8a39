// SPDX-License-Identifier: Apache-2.0
//
// Selects the devices that log a record (docs/storage-layout.md, "Log replicas"): the replicas of
// the previous version, so that what any log says of a stripe is its latest; then the stripe's
// members from the last position down, the most recently picked devices, the lowest numbers.
//
// start: a pulse; has_old, old (replicas of the previous version, if there is one), is_mapped,
//   places (device per position), recent, width, wanted and usable are constant until done, a pulse
//   with `holders`; 255: none.
// Latency: at most 3 + WIDTH + 8 + PORTS + 3 cycles.
module kumi_array_log_replicas #(
    parameter int PORTS = 4,
    parameter int WIDTH = 8   // maximum positions
) (
    input logic clk,
    input logic rst,
    input logic start,
    input logic has_old,
    input logic is_mapped,
    input logic [WIDTH-1:0][7:0] places,
    input logic [2:0][7:0] old,
    input logic [7:0][7:0] recent,
    input logic [3:0] recent_count,
    input logic [4:0] width,
    input logic [1:0] wanted,
    input logic [PORTS-1:0] usable,
    output logic done,
    output logic [2:0][7:0] holders
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);
  localparam int POSITION_W = WIDTH == 1 ? 1 : $clog2(WIDTH);

  typedef enum logic [2:0] {
    IDLE,
    PREVIOUS,
    MEMBERS,
    RECENT,
    OTHERS
  } state_e;
  state_e state_q;
  logic [7:0] at_q;
  logic [1:0] count_q;
  logic [7:0] candidate;
  logic fits, take;

  always_comb begin
    case (state_q)
      PREVIOUS: candidate = old[at_q[1:0]];
      MEMBERS:  candidate = places[POSITION_W'(at_q)];
      RECENT:   candidate = recent[at_q[2:0]];
      default:  candidate = at_q;
    endcase
  end
  assign fits = candidate < 8'(PORTS) && usable[UNIT_W'(candidate)] && candidate != holders[0]
      && candidate != holders[1] && candidate != holders[2];
  assign take = state_q != IDLE && fits && count_q < wanted
      && !(state_q == PREVIOUS && !has_old) && !(state_q == MEMBERS && !is_mapped)
      && !(state_q == RECENT && at_q >= 8'(recent_count));

  always_ff @(posedge clk) begin
    done <= 1'b0;
    if (take) begin
      holders[count_q] <= candidate;
      count_q <= count_q + 1'b1;
    end
    case (state_q)
      IDLE:
      if (start) begin
        holders <= '1;
        count_q <= '0;
        at_q <= '0;
        state_q <= PREVIOUS;
      end
      PREVIOUS: begin
        at_q <= at_q + 1'b1;
        if (at_q == 8'd2) begin
          at_q <= 8'(width) - 1'b1;
          state_q <= MEMBERS;
        end
      end
      MEMBERS: begin
        at_q <= at_q - 1'b1;
        if (at_q == 8'd0) begin
          at_q <= '0;
          state_q <= RECENT;
        end
      end
      RECENT: begin
        at_q <= at_q + 1'b1;
        if (at_q == 8'd7) begin
          at_q <= '0;
          state_q <= OTHERS;
        end
      end
      default: begin
        at_q <= at_q + 1'b1;
        if (at_q == 8'(PORTS - 1)) begin
          done <= 1'b1;
          state_q <= IDLE;
        end
      end
    endcase
    if (rst) begin
      state_q <= IDLE;
      done <= 1'b0;
    end
  end
endmodule
