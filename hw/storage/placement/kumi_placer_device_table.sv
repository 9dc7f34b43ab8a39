// SPDX-License-Identifier: Apache-2.0
//
// Device records of kumi_placer, and every update of one of them.
//
// s_valid, s_ready: an operation, accepted when both are high; done: a pulse when it is complete.
//   assign_chunk = 0: event `op` with `device` and `value` (kumi_storage_pkg). assign_chunk = 1:
//   the device gets a chunk: its share grows, it has one free slot fewer and one more chunk queued.
// rd_*: read port, data one cycle after rd_en; only while s_ready is high.
// max_base: the greatest sum of all shares (used with measured times).
// Cycles from acceptance to done: 15 to assign, 4 for most events, 53 for PL_RATE, 6 for PL_SERVED
// with a time that counts, 14 per device for PL_START and PL_CLEAR. PL_START runs by itself after
// reset.
// Bad input: an unknown device changes nothing.
`include "kumi_assert.svh"
module kumi_placer_device_table
  import kumi_storage_pkg::*;
  import kumi_placer_pkg::*;
#(
    parameter int PORTS = 8  // devices, 1..128
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  cfg_dynamic,
    input  logic           [47:0] cfg_unit,
    input  logic                  s_valid,
    output logic                  s_ready,
    input  logic                  assign_chunk,
    input  place_op_e             op,
    input  logic           [ 7:0] device,
    input  logic           [31:0] value,
    output logic                  done,
    input  logic                  rd_en,
    input  logic           [ 6:0] rd_at,
    output placer_device_t        rd_device,
    output place_key_t            max_base
);
  localparam int DEPTH = PORTS <= 2 ? 2 : 1 << $clog2(PORTS);
  localparam int AT_W = $clog2(DEPTH);
  localparam logic [31:0] STEP = 32'h9e37_79b1;

  typedef enum logic [3:0] {
    IDLE,
    LOAD,
    LOADED,
    WORK,
    RATE,     // waits for the quotient
    MEAN,
    ROUND,
    ADVANCE,
    HASH,  // waits for the hash
    STORE
  } state_e;
  state_e state_q;

  placer_device_t dev_q, ram;
  logic assign_chunk_q, all_q, start_q;
  place_op_e op_q;
  logic [7:0] at_q;
  logic [31:0] value_q, seed_q;
  logic [KEY_W:0] catch_up_q;
  cost_t ones_below_q;
  place_key_t max_base_q;

  logic divided, hashed;
  logic [47:0] quotient;
  logic [31:0] remainder;
  logic [3:0] hash;
  logic signed [COST_W:0] change;

  assign s_ready   = state_q == IDLE;
  assign rd_device = ram;
  assign max_base  = max_base_q;
  assign change    = signed'({13'd0, value_q, 4'd0}) - signed'({1'b0, dev_q.mean_cost});

  kumi_ram_sdp #(
      .W($bits(placer_device_t)),
      .DEPTH(DEPTH)
  ) u_ram (
      .clk,
      .wr_en  (state_q == STORE),
      .wr_addr(at_q[AT_W-1:0]),
      .wr_data(dev_q),
      .rd_en  (state_q == LOAD || rd_en),
      .rd_addr(state_q == IDLE ? rd_at[AT_W-1:0] : at_q[AT_W-1:0]),
      .rd_data(ram)
  );

  kumi_divider #(
      .DIVIDEND_W(48),
      .DIVISOR_W (32)
  ) u_divide (
      .clk,
      .rst,
      .start   (state_q == WORK),
      .dividend(cfg_unit),
      .divisor (value_q == 0 ? 32'd1 : value_q),
      .done    (divided),
      .quotient,
      .remainder
  );

  kumi_placer_key_hash u_scatter (
      .clk,
      .rst,
      .start(state_q == ADVANCE),
      .phase(dev_q.phase),
      .done (hashed),
      .hash
  );

  always_ff @(posedge clk) begin
    done <= 1'b0;
    case (state_q)
      IDLE: begin
        assign_chunk_q  <= assign_chunk;
        op_q    <= op;
        at_q    <= device;
        value_q <= value;
        all_q   <= !assign_chunk && (op == PL_START || op == PL_CLEAR);
        start_q <= op == PL_START;
        seed_q    <= STEP;
        if (s_valid) begin
          state_q <= LOAD;
          if (!assign_chunk && (op == PL_START || op == PL_CLEAR)) begin
            at_q       <= '0;
            max_base_q <= '0;
          end else if (device >= 8'(PORTS)) begin
            state_q <= IDLE;
            done    <= 1'b1;
          end
        end
      end
      LOAD: state_q <= LOADED;
      LOADED: begin
        dev_q   <= ram;
        state_q <= WORK;
      end
      WORK: begin
        catch_up_q <= {1'b0, max_base_q} - {{KEY_W + 1 - COST_W - 6{1'b0}}, dev_q.cost, 6'd0};
        state_q <= STORE;
        if (all_q) begin
          if (start_q) dev_q <= '0;
          dev_q.base <= '0;
          dev_q.seed   <= seed_q;
          dev_q.phase    <= seed_q;
          state_q    <= ADVANCE;
        end else if (assign_chunk_q) begin
          dev_q.phase <= dev_q.phase + {dev_q.seed[30:0], 1'b0};
          if (dev_q.space != 0) dev_q.space <= dev_q.space - 1'b1;
          if (dev_q.queue != '1) dev_q.queue <= dev_q.queue + 1'b1;
          state_q <= ADVANCE;
        end else begin
          case (op_q)
            PL_USABLE: dev_q.usable <= value_q[0];
            PL_ROOM: dev_q.space <= value_q[SPACE_W-1:0];
            PL_RATE: state_q <= RATE;
            PL_CLAIM: if (dev_q.space != 0) dev_q.space <= dev_q.space - 1'b1;
            PL_RELEASE: if (dev_q.space != '1) dev_q.space <= dev_q.space + 1'b1;
            PL_QUEUED: if (dev_q.queue != '1) dev_q.queue <= dev_q.queue + 1'b1;
            PL_SERVED: begin
              if (dev_q.queue != 0) dev_q.queue <= dev_q.queue - 1'b1;
              if (cfg_dynamic && value_q != 0) begin
                dev_q.mean_cost <= dev_q.measured ? dev_q.mean_cost + COST_W'(change >>> 2)
                                             : {12'd0, value_q, 4'd0};
                dev_q.measured <= 1'b1;
                state_q <= MEAN;
              end
            end
            default: ;
          endcase
        end
      end
      RATE: begin
        dev_q.cost      <= quotient == 0 ? COST_W'(1) : quotient;
        dev_q.mean_cost <= quotient == 0 ? COST_W'(1) : quotient;
        dev_q.measured  <= 1'b0;
        if (divided) state_q <= STORE;
      end
      MEAN: begin
        ones_below_q <= filled(dev_q.mean_cost);
        state_q <= ROUND;
      end
      ROUND: begin
        dev_q.cost <= rounded(dev_q.mean_cost, ones_below_q);
        state_q    <= STORE;
      end
      ADVANCE: begin
        if (assign_chunk_q && cfg_dynamic && !catch_up_q[KEY_W]
            && catch_up_q[KEY_W-1:0] > dev_q.base) begin
          dev_q.base <= catch_up_q[KEY_W-1:0];
        end
        state_q <= HASH;
      end
      HASH: begin
        dev_q.hash <= hash;
        if (hashed) begin
          state_q <= STORE;
          if (assign_chunk_q) dev_q.base <= dev_q.base + KEY_W'({dev_q.cost, 4'd0});
        end
      end
      default: begin
        if (assign_chunk_q && dev_q.base > max_base_q) max_base_q <= dev_q.base;
        at_q    <= at_q + 1'b1;
        seed_q    <= seed_q + STEP;
        state_q <= LOAD;
        if (!all_q || at_q == 8'(PORTS - 1)) begin
          state_q <= IDLE;
          done    <= 1'b1;
        end
      end
    endcase
    if (rst) begin
      state_q        <= LOAD;
      assign_chunk_q <= 1'b0;
      all_q          <= 1'b1;
      start_q        <= 1'b1;
      at_q           <= '0;
      seed_q         <= STEP;
      max_base_q     <= '0;
      done           <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{remainder, at_q, rd_at};

  `KUMI_ASSERT(a_share_fits, state_q != STORE || !dev_q.base[KEY_W-1])
endmodule
