// SPDX-License-Identifier: Apache-2.0
//
// Lets an AXI4 master (ARM IHI 0022) reach the regions of memory that were set, and no other
// address.
//
// region_*: a register of region `region_index`: field 0, 1 base, 2, 3 bytes (low word first), 4
//   flags, whose bit 0 makes it valid. A region takes effect when its flags are written, after its
//   other fields. Only pages of 4 KiB that lie in it as a whole are reachable. While no region is
//   valid, all of memory is.
// s_*, m_*: the master's channels and memory's. Bursts never cross a multiple of 4 KiB. m_rready
//   and m_bready are always high, so s_rready and s_bready have to be.
// A request to elsewhere is answered with DECERR and never seen on m_*; it waits until all earlier
//   requests of its direction have been answered, and later ones wait for it.
// Latency: requests 3 cycles, beats and answers none. Throughput: a request and a beat a cycle.
module kumi_nic_dma_check #(
    parameter  int DATA_W  = 512,              // bits of data
    parameter  int ID_W    = 4,                // bits of an id
    parameter  int REGIONS = 16,               // 1..16
    parameter  int OPEN    = 1024,             // requests of a direction under way, a power of two
    localparam int OPEN_W  = $clog2(OPEN) + 1
) (
    input logic clk,
    input logic rst,
    input logic region_write,
    input logic [3:0] region_index,
    input logic [2:0] region_field,
    input logic [31:0] region_data,

    // the master
    input logic [ID_W-1:0] s_awid,
    input logic [63:0] s_awaddr,
    input logic [7:0] s_awlen,
    input logic s_awvalid,
    output logic s_awready,
    input logic [DATA_W-1:0] s_wdata,
    input logic [DATA_W/8-1:0] s_wstrb,
    input logic s_wlast,
    input logic s_wvalid,
    output logic s_wready,
    output logic [ID_W-1:0] s_bid,
    output logic [1:0] s_bresp,
    output logic s_bvalid,
    input logic [ID_W-1:0] s_arid,
    input logic [63:0] s_araddr,
    input logic [7:0] s_arlen,
    input logic s_arvalid,
    output logic s_arready,
    output logic [ID_W-1:0] s_rid,
    output logic [DATA_W-1:0] s_rdata,
    output logic [1:0] s_rresp,
    output logic s_rlast,
    output logic s_rvalid,

    // memory
    output logic [ID_W-1:0] m_awid,
    output logic [63:0] m_awaddr,
    output logic [7:0] m_awlen,
    output logic m_awvalid,
    input logic m_awready,
    output logic [DATA_W-1:0] m_wdata,
    output logic [DATA_W/8-1:0] m_wstrb,
    output logic m_wlast,
    output logic m_wvalid,
    input logic m_wready,
    input logic [ID_W-1:0] m_bid,
    input logic [1:0] m_bresp,
    input logic m_bvalid,
    output logic [ID_W-1:0] m_arid,
    output logic [63:0] m_araddr,
    output logic [7:0] m_arlen,
    output logic m_arvalid,
    input logic m_arready,
    input logic [ID_W-1:0] m_rid,
    input logic [DATA_W-1:0] m_rdata,
    input logic [1:0] m_rresp,
    input logic m_rlast,
    input logic m_rvalid
);
  localparam logic [1:0] DECERR = 2'b11;
  localparam logic [2:0] FIELD_FLAGS = 3'd4;

  if (REGIONS < 1 || REGIONS > 16) begin : gen_check_regions
    $fatal(0, "REGIONS must be 1..16 (%m)");
  end
  if (OPEN < 4 || (OPEN & (OPEN - 1)) != 0) begin : gen_check_open
    $fatal(0, "OPEN must be a power of two, 4 at least (%m)");
  end

  // ---- regions, as their first page and the one behind the last ------------------------------
  logic [3:0][31:0] fields_q;
  logic [31:0] low_q;
  logic carry_q, up_q, high_up_q, over_q;
  logic [51:0] begin_q, end_q;
  logic [REGIONS-1:0] valid_q;
  logic [REGIONS-1:0][51:0] first_q, behind_q;
  logic any_q;

  always_ff @(posedge clk) begin
    if (region_write && region_field < FIELD_FLAGS) fields_q[region_field[1:0]] <= region_data;
    // The fields stand still for the three cycles that this takes before the flags are written.
    {carry_q, low_q} <= 33'(fields_q[0]) + 33'(fields_q[2]);
    // A base within a page begins with the next one.
    up_q <= fields_q[0][11:0] != '0;
    high_up_q <= fields_q[0][11:0] != '0 && fields_q[0][31:12] == '1;
    begin_q <= {fields_q[1] + 32'(high_up_q), fields_q[0][31:12] + 20'(up_q)};
    {over_q, end_q} <= {33'(fields_q[1]) + 33'(fields_q[3]) + 33'(carry_q), low_q[31:12]};
    if (region_write && region_field == FIELD_FLAGS) begin
      for (int i = 0; i < REGIONS; ++i) begin
        if (region_index == 4'(i)) begin
          valid_q[i]  <= region_data[0];
          first_q[i]  <= begin_q;
          behind_q[i] <= over_q ? '0 : end_q;
        end
      end
    end
    any_q <= |valid_q;
    if (rst) begin
      valid_q <= '0;
      any_q   <= 1'b0;
    end
  end

  // ---- both directions: a request is compared, judged, and passed on or refused --------------
  typedef struct packed {
    logic [ID_W-1:0] id;
    logic [63:0] addr;
    logic [7:0] len;
  } nic_request_t;

  nic_request_t [1:0] ask, first_step_q, judged_q, out_q;  // 0 reads, 1 writes
  logic [1:0] ask_valid, ask_ready, first_valid_q, judged_valid_q, good_q, out_valid_q, out_ready;
  logic [1:0] pass, refused, move, quiet;
  logic [1:0][OPEN_W-1:0] open_q;
  logic [1:0] answered;

  assign ask = {{s_awid, s_awaddr, s_awlen}, {s_arid, s_araddr, s_arlen}};
  assign ask_valid = {s_awvalid, s_arvalid};
  assign {s_awready, s_arready} = ask_ready;
  assign out_ready = {m_awready, m_arready};
  assign {m_awvalid, m_arvalid} = out_valid_q;
  assign {m_awid, m_awaddr, m_awlen} = out_q[1];
  assign {m_arid, m_araddr, m_arlen} = out_q[0];

  for (genvar d = 0; d < 2; ++d) begin : gen_way
    logic [51:0] page;
    logic [REGIONS-1:0] from_gt_q, from_eq_q, from_low_q, to_lt_q, to_eq_q, to_low_q, contained;

    assign page = ask[d].addr[63:12];
    assign move[d] = !judged_valid_q[d] || pass[d] || refused[d];
    assign ask_ready[d] = !first_valid_q[d] || move[d];
    assign quiet[d] = open_q[d] == '0;
    assign pass[d] = judged_valid_q[d] && good_q[d] && (!out_valid_q[d] || out_ready[d]) &&
        !open_q[d][OPEN_W-1];

    always_comb begin
      for (int i = 0; i < REGIONS; ++i) begin
        contained[i] = (from_gt_q[i] || (from_eq_q[i] && from_low_q[i])) &&
            (to_lt_q[i] || (to_eq_q[i] && to_low_q[i]));
      end
    end

    always_ff @(posedge clk) begin
      if (ask_ready[d]) begin
        first_valid_q[d] <= ask_valid[d];
        first_step_q[d]  <= ask[d];
        for (int i = 0; i < REGIONS; ++i) begin
          from_gt_q[i]  <= valid_q[i] && page[51:26] > first_q[i][51:26];
          from_eq_q[i]  <= valid_q[i] && page[51:26] == first_q[i][51:26];
          from_low_q[i] <= page[25:0] >= first_q[i][25:0];
          to_lt_q[i]    <= page[51:26] < behind_q[i][51:26];
          to_eq_q[i]    <= page[51:26] == behind_q[i][51:26];
          to_low_q[i]   <= page[25:0] < behind_q[i][25:0];
        end
      end
      if (move[d]) begin
        judged_valid_q[d] <= first_valid_q[d];
        judged_q[d] <= first_step_q[d];
        good_q[d] <= |contained || !any_q;
      end
      if (out_ready[d]) out_valid_q[d] <= 1'b0;
      if (pass[d]) begin
        out_valid_q[d] <= 1'b1;
        out_q[d] <= judged_q[d];
      end
      open_q[d] <= open_q[d] + OPEN_W'(pass[d]) - OPEN_W'(answered[d]);
      if (rst) begin
        first_valid_q[d] <= 1'b0;
        judged_valid_q[d] <= 1'b0;
        out_valid_q[d] <= 1'b0;
        open_q[d] <= '0;
      end
    end
  end

  // ---- reads ---------------------------------------------------------------------------------
  logic deny_read;
  logic [7:0] beat_q;
  assign deny_read = judged_valid_q[0] && !good_q[0] && quiet[0];
  assign refused[0] = deny_read && s_rlast;
  assign answered[0] = m_rvalid && m_rlast;
  assign s_rvalid = m_rvalid || deny_read;
  assign s_rid = deny_read ? judged_q[0].id : m_rid;
  assign s_rdata = m_rdata;
  assign s_rresp = deny_read ? DECERR : m_rresp;
  assign s_rlast = deny_read ? beat_q == judged_q[0].len : m_rlast;

  // ---- writes --------------------------------------------------------------------------------
  // Beats go out only for requests that were passed on.
  logic deny_write, swallow, swallowed_q, data_ends;
  logic [OPEN_W-1:0] data_open_q;
  assign deny_write = judged_valid_q[1] && !good_q[1] && quiet[1];
  assign swallow = deny_write && !swallowed_q;
  assign refused[1] = deny_write && swallowed_q;
  assign answered[1] = m_bvalid;
  assign m_wvalid = s_wvalid && data_open_q != '0;
  assign m_wdata = s_wdata;
  assign m_wstrb = s_wstrb;
  assign m_wlast = s_wlast;
  assign s_wready = (data_open_q != '0 && m_wready) || swallow;
  assign data_ends = m_wvalid && m_wready && m_wlast;
  assign s_bvalid = m_bvalid || refused[1];
  assign s_bid = refused[1] ? judged_q[1].id : m_bid;
  assign s_bresp = refused[1] ? DECERR : m_bresp;

  always_ff @(posedge clk) begin
    beat_q <= deny_read && !s_rlast ? beat_q + 1'b1 : '0;
    data_open_q <= data_open_q + OPEN_W'(pass[1]) - OPEN_W'(data_ends);
    swallowed_q <= (swallowed_q && !refused[1]) || (swallow && s_wvalid && s_wlast);
    if (rst) begin
      beat_q <= '0;
      data_open_q <= '0;
      swallowed_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^low_q;
endmodule
