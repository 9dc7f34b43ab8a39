// SPDX-License-Identifier: Apache-2.0
//
// Device table of the storage array: whether each device works, its port, the start of its chunks,
// its read errors and outstanding requests. Requests pass through on their way from device number
// to port, completions on their way back.
//
// set: a pulse with set_what (PARAM_DEV_DATA and PARAM_DEV_STATE; others are ignored here), while
//   nothing is outstanding.
// s_*: a request for device s_unit (raw: for that port); with s_chunk its sector is a slot number.
//   m_*: to port m_port, held until m_ready. Three cycles per request, one at a time.
// e_*: a completion of port e_port, a pulse. cpl_*: the same two cycles later, with its device;
//   cpl_over_limit: the device had cfg_errors errors before. fail: that device is failed now, a
//   pulse with a completion.
// query_dev: query_depth, one cycle later, requests outstanding at a device.
// failure_*: failed devices, each once, for the placer.
// usable, readable, failed: one bit per device; usable_count: number of usable devices. failures:
//   counts `fail`.
// Bad input: device numbers from PORTS on are ignored. All other state per device is in memory.
module kumi_array_device_table
  import kumi_array_pkg::*;
#(
    parameter int PORTS = 4  // devices, 1..128
) (
    input logic clk,
    input logic rst,
    input logic [4:0] cfg_chunk,
    input logic [31:0] cfg_errors,
    input logic set,
    input array_param_e set_what,
    input logic [7:0] set_unit,
    input logic [63:0] set_arg,
    input logic raw,
    input logic s_valid,
    output logic s_ready,
    input logic [7:0] s_unit,
    input logic s_chunk,
    input disk_req_t s_io,
    output logic m_valid,
    input logic m_ready,
    output logic [7:0] m_port,
    output disk_req_t m_io,
    input logic e_valid,
    input logic [7:0] e_port,
    input disk_rsp_t e_rsp,
    input logic [31:0] e_cycles,
    output logic cpl_valid,
    output logic [7:0] cpl_unit,
    output disk_rsp_t cpl_rsp,
    output logic [31:0] cpl_cycles,
    output logic cpl_over_limit,
    input logic fail,
    input logic [7:0] query_dev,
    output logic [4:0] query_depth,
    output logic failure_valid,
    output logic [7:0] failure_device,
    input logic failure_take,
    output logic [PORTS-1:0] usable,
    output logic [PORTS-1:0] readable,
    output logic [PORTS-1:0] failed,
    output logic [7:0] usable_count,
    output logic [15:0] failures
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  if (PORTS < 1 || PORTS > 128) begin : gen_check
    $fatal(0, "PORTS must be 1..128 (%m)");
  end

  function automatic logic in_range(input logic [7:0] unit);
    return unit < 8'(PORTS);
  endfunction

  logic set_data, set_state;
  logic [UNIT_W-1:0] set_at;
  assign set_at = UNIT_W'(set_unit);
  assign set_data = set && set_what == PARAM_DEV_DATA && in_range(set_unit);
  assign set_state = set && set_what == PARAM_DEV_STATE && in_range(set_unit);

  // ---- where a device is, and back ------------------------------------------------------------
  logic [47:0] data_mem[1 << UNIT_W];
  logic [ 7:0] port_mem[1 << UNIT_W];
  logic [ 7:0] unit_mem[1 << UNIT_W];  // device at a port
  always_ff @(posedge clk) begin
    if (set_data) data_mem[set_at] <= set_arg[47:0];
    if (set_state) port_mem[set_at] <= set_arg[15:8];
    if (set_state && in_range(set_arg[15:8])) unit_mem[UNIT_W'(set_arg[15:8])] <= set_unit;
  end

  // ---- requests -------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    IDLE,
    LOOKUP,
    ADD,
    SEND
  } state_e;
  state_e state_q;
  disk_req_t io_q;
  logic chunk_q, raw_q;
  logic [7:0] unit_q, port_q;
  logic [47:0] base_q;

  assign s_ready = state_q == IDLE;
  assign m_valid = state_q == SEND;
  assign m_port = port_q;
  assign m_io = io_q;

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        io_q <= s_io;
        unit_q <= s_unit;
        chunk_q <= s_chunk;
        raw_q <= raw;
        if (s_valid) state_q <= LOOKUP;
      end
      LOOKUP: begin
        port_q  <= raw_q ? unit_q : port_mem[UNIT_W'(unit_q)];
        base_q  <= chunk_q ? data_mem[UNIT_W'(unit_q)] : '0;
        state_q <= ADD;
      end
      ADD: begin
        io_q.lba <= base_q + (chunk_q ? io_q.lba << (cfg_chunk - 5'd9) : io_q.lba);
        state_q  <= SEND;
      end
      default: if (m_ready) state_q <= IDLE;
    endcase
    if (rst) state_q <= IDLE;
  end

  // ---- ends -----------------------------------------------------------------------------------
  logic lookup_valid_q, counts;
  logic [7:0] lookup_unit_q;
  disk_rsp_t lookup_rsp_q;
  logic [31:0] lookup_cycles_q, errors_in;
  logic [31:0] errors_mem[1 << UNIT_W];
  logic [31:0] errors;
  logic errors_we;
  logic [UNIT_W-1:0] errors_at;

  assign counts = lookup_valid_q && lookup_rsp_q.status != '0 && !raw;
  assign errors = errors_mem[UNIT_W'(lookup_unit_q)];
  assign errors_we = set_state || counts;
  assign errors_at = set_state ? set_at : UNIT_W'(lookup_unit_q);
  assign errors_in = set_state ? '0 : errors + 1'b1;

  always_ff @(posedge clk) begin
    lookup_valid_q <= e_valid;
    lookup_unit_q <= unit_mem[UNIT_W'(e_port)];
    lookup_rsp_q <= e_rsp;
    lookup_cycles_q <= e_cycles;
    cpl_valid <= lookup_valid_q;
    cpl_unit <= lookup_unit_q;
    cpl_rsp <= lookup_rsp_q;
    cpl_cycles <= lookup_cycles_q;
    cpl_over_limit <= errors >= cfg_errors;
    if (errors_we) errors_mem[errors_at] <= errors_in;
    if (rst) begin
      lookup_valid_q <= 1'b0;
      cpl_valid <= 1'b0;
    end
  end

  // ---- what is under way: requests that went less ends that came, each in a memory of its own -
  logic [4:0] issued_mem[1 << UNIT_W], completed_mem[1 << UNIT_W];
  logic issued_we, completed_we;
  logic [UNIT_W-1:0] issued_at, completed_at;
  logic [4:0] issued_in, completed_in;

  assign issued_we = set_state || (s_valid && s_ready && !raw);
  assign issued_at = set_state ? set_at : UNIT_W'(s_unit);
  assign issued_in = set_state ? '0 : issued_mem[issued_at] + 1'b1;
  assign completed_we = set_state || (lookup_valid_q && !raw);
  assign completed_at = set_state ? set_at : UNIT_W'(lookup_unit_q);
  assign completed_in = set_state ? '0 : completed_mem[completed_at] + 1'b1;
  always_ff @(posedge clk) begin
    if (issued_we) issued_mem[issued_at] <= issued_in;
    if (completed_we) completed_mem[completed_at] <= completed_in;
    query_depth <= issued_mem[UNIT_W'(query_dev)] - completed_mem[UNIT_W'(query_dev)];
  end

  // ---- which work -----------------------------------------------------------------------------
  logic [UNIT_W-1:0] change;
  logic decrement, increment;
  assign change = set_state ? set_at : UNIT_W'(cpl_unit);
  assign decrement = usable[change] && (set_state ? !set_arg[0] : fail);
  assign increment = !usable[change] && set_state && set_arg[0];

  // A device fails at most once until its state is set, so this cannot overflow.
  logic [7:0] failure_mem[1 << UNIT_W];
  logic [UNIT_W:0] failure_in_q, failure_out_q;
  assign failure_valid  = failure_in_q != failure_out_q;
  assign failure_device = failure_mem[failure_out_q[UNIT_W-1:0]];

  always_ff @(posedge clk) begin
    if (set_state) begin
      usable[set_at]   <= set_arg[0];
      readable[set_at] <= set_arg[1];
      failed[set_at]   <= 1'b0;
    end
    if (fail) begin
      usable[change] <= 1'b0;
      readable[change] <= 1'b0;
      failed[change] <= 1'b1;
      failures <= failures + 1'b1;
      failure_mem[failure_in_q[UNIT_W-1:0]] <= cpl_unit;
      failure_in_q <= failure_in_q + 1'b1;
    end
    if (failure_take) failure_out_q <= failure_out_q + 1'b1;
    usable_count <= usable_count + 8'(increment) - 8'(decrement);
    if (rst) begin
      usable <= '0;
      readable <= '0;
      failed <= '0;
      usable_count <= '0;
      failures <= '0;
      failure_in_q <= '0;
      failure_out_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{set_unit, set_arg, s_unit, e_port, query_dev, unit_q, cpl_unit, lookup_unit_q};
endmodule
