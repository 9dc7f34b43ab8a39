// SPDX-License-Identifier: Apache-2.0
//
// What the controller of a storage array knows of each device: whether it works, at which port it
// is, where its chunks begin, its read errors, what is under way there. Requests pass through here
// on their way from a device's number to its port, ends on their way back.
//
// set: a pulse with set_what (SET_DATA and SET_STATE; others are not for here), while nothing is
//   under way.
// s_*: a request for device s_unit (raw: for that port); with s_chunk the sector is a slot. m_*: to
//   port m_port, held until m_ready. Three cycles each, one at a time.
// e_*: an end from port e_port, a pulse. end_*: the same two cycles later, with the device that it
//   is of; end_many: the device had cfg_errors errors before. fail: this device is given up now, a
//   pulse with an end.
// look: look_open, a cycle later, requests under way at a device.
// gone_*: devices that were given up, each once, for the placer.
// usable, readable, failed: a bit a device; usable_count: how many. failures: how often `fail`.
// Device numbers from PORTS on are ignored. All state of a device but these bits is in memory.
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
    input set_e set_what,
    input logic [7:0] set_unit,
    input logic [63:0] set_arg,
    input logic raw,
    input logic s_valid,
    output logic s_ready,
    input logic [7:0] s_unit,
    input logic s_chunk,
    input io_t s_io,
    output logic m_valid,
    input logic m_ready,
    output logic [7:0] m_port,
    output io_t m_io,
    input logic e_valid,
    input logic [7:0] e_port,
    input io_end_t e_what,
    input logic [31:0] e_took,
    output logic end_valid,
    output logic [7:0] end_unit,
    output io_end_t end_what,
    output logic [31:0] end_took,
    output logic end_many,
    input logic fail,
    input logic [7:0] look,
    output logic [4:0] look_open,
    output logic gone_valid,
    output logic [7:0] gone_device,
    input logic gone_take,
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

  function automatic logic known(input logic [7:0] unit);
    return unit < 8'(PORTS);
  endfunction

  logic set_data, set_state;
  logic [UNIT_W-1:0] set_at;
  assign set_at = UNIT_W'(set_unit);
  assign set_data = set && set_what == SET_DATA && known(set_unit);
  assign set_state = set && set_what == SET_STATE && known(set_unit);

  // ---- where a device is, and back ------------------------------------------------------------
  logic [47:0] data_mem[1 << UNIT_W];
  logic [ 7:0] port_mem[1 << UNIT_W];
  logic [ 7:0] unit_mem[1 << UNIT_W];  // device at a port
  always_ff @(posedge clk) begin
    if (set_data) data_mem[set_at] <= set_arg[47:0];
    if (set_state) port_mem[set_at] <= set_arg[15:8];
    if (set_state && known(set_arg[15:8])) unit_mem[UNIT_W'(set_arg[15:8])] <= set_unit;
  end

  // ---- requests -------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    IDLE,
    LOOK,
    ADD,
    SEND
  } state_e;
  state_e state_q;
  io_t io_q;
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
        if (s_valid) state_q <= LOOK;
      end
      LOOK: begin
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
  logic one_valid_q, counts;
  logic [7:0] one_unit_q;
  io_end_t one_what_q;
  logic [31:0] one_took_q, errors_in;
  logic [31:0] errors_mem[1 << UNIT_W];
  logic [31:0] errors;
  logic errors_we;
  logic [UNIT_W-1:0] errors_at;

  assign counts = one_valid_q && one_what_q.reason != '0 && !raw;
  assign errors = errors_mem[UNIT_W'(one_unit_q)];
  assign errors_we = set_state || counts;
  assign errors_at = set_state ? set_at : UNIT_W'(one_unit_q);
  assign errors_in = set_state ? '0 : errors + 1'b1;

  always_ff @(posedge clk) begin
    one_valid_q <= e_valid;
    one_unit_q <= unit_mem[UNIT_W'(e_port)];
    one_what_q <= e_what;
    one_took_q <= e_took;
    end_valid <= one_valid_q;
    end_unit <= one_unit_q;
    end_what <= one_what_q;
    end_took <= one_took_q;
    end_many <= errors >= cfg_errors;
    if (errors_we) errors_mem[errors_at] <= errors_in;
    if (rst) begin
      one_valid_q <= 1'b0;
      end_valid   <= 1'b0;
    end
  end

  // ---- what is under way: requests that went less ends that came, each in a memory of its own -
  logic [4:0] went_mem[1 << UNIT_W], came_mem[1 << UNIT_W];
  logic went_we, came_we;
  logic [UNIT_W-1:0] went_at, came_at;
  logic [4:0] went_in, came_in;

  assign went_we = set_state || (s_valid && s_ready && !raw);
  assign went_at = set_state ? set_at : UNIT_W'(s_unit);
  assign went_in = set_state ? '0 : went_mem[went_at] + 1'b1;
  assign came_we = set_state || (one_valid_q && !raw);
  assign came_at = set_state ? set_at : UNIT_W'(one_unit_q);
  assign came_in = set_state ? '0 : came_mem[came_at] + 1'b1;
  always_ff @(posedge clk) begin
    if (went_we) went_mem[went_at] <= went_in;
    if (came_we) came_mem[came_at] <= came_in;
    look_open <= went_mem[UNIT_W'(look)] - came_mem[UNIT_W'(look)];
  end

  // ---- which work -----------------------------------------------------------------------------
  logic [UNIT_W-1:0] change;
  logic less, more;
  assign change = set_state ? set_at : UNIT_W'(end_unit);
  assign less   = usable[change] && (set_state ? !set_arg[0] : fail);
  assign more   = !usable[change] && set_state && set_arg[0];

  // A device fails once until its state is set, so this has room for all.
  logic [7:0] gone_mem[1 << UNIT_W];
  logic [UNIT_W:0] gone_in_q, gone_out_q;
  assign gone_valid  = gone_in_q != gone_out_q;
  assign gone_device = gone_mem[gone_out_q[UNIT_W-1:0]];

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
      gone_mem[gone_in_q[UNIT_W-1:0]] <= end_unit;
      gone_in_q <= gone_in_q + 1'b1;
    end
    if (gone_take) gone_out_q <= gone_out_q + 1'b1;
    usable_count <= usable_count + 8'(more) - 8'(less);
    if (rst) begin
      usable <= '0;
      readable <= '0;
      failed <= '0;
      usable_count <= '0;
      failures <= '0;
      gone_in_q <= '0;
      gone_out_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{set_unit, set_arg, s_unit, e_port, look, unit_q, end_unit, one_unit_q};
endmodule
