// SPDX-License-Identifier: Apache-2.0
//
// Placer: selects the devices of the next stripe: by speed, or by queue depth and measured time,
// while there is space, and by free slots when space gets short (docs/storage-layout.md,
// "Placement"). kumi_slot_allocator assigns the slots.
//
// cfg_*: constant during operation. cfg_width: w, 1..30. cfg_physical: stripes that may occupy
//   slots. cfg_dynamic: policy. cfg_depth: chunks in a device's queue (dynamic). cfg_unit: cost of
//   a chunk at 1 kB/s: 2^40 with the static policy, 16 times its cycles with the dynamic one.
// s_event: place_event_t, everything that placement depends on, processed in order between
//   requests. After reset every device is as after PL_START.
// s_req: place_req_t. m_pick: place_pick_t, `count` records in key order, or a single one with the
//   reason why there are none. QUEUES_FULL: retry after a PL_SERVED.
// Events and requests alternate when both are waiting.
// Latency: a request placed by speed takes w * (PORTS + 25) + 6 cycles, at least PORTS + 17 * w +
// 64 (a division, for the rotation of positions); placed by free slots w * (PORTS + 8) more.
// Events: kumi_placer_device_table.
// Bad input: events of unknown devices are ignored.
// Equal to the C++ placer with the static policy while 16 * (n + 2) * cost < 2^79 for n chunks on a
// device; the C++ placer has 128 bits. PL_CLEAR restarts the count.
module kumi_placer
  import kumi_storage_pkg::*;
  import kumi_placer_pkg::*;
#(
    parameter int PORTS = 8  // devices, 1..128
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic           [ 4:0]      cfg_width,
    input  logic           [31:0]      cfg_physical,
    input  logic                       cfg_dynamic,
    input  logic           [ 7:0]      cfg_depth,
    input  logic           [47:0]      cfg_unit,
           kumi_rec_if.snk             s_event,
           kumi_rec_if.snk             s_req,
           kumi_rec_if.src             m_pick,
    output logic           [31:0]      occupied,
    output logic           [ 7:0][7:0] recent,
    output logic           [ 3:0]      recent_count,
    output logic                       busy
);
  if (PORTS < 1 || PORTS > 128) begin : gen_check_ports
    $fatal(0, "PORTS must be 1..128 (%m)");
  end
  if (s_event.W != $bits(
          place_event_t
      ) || s_req.W != $bits(
          place_req_t
      ) || m_pick.W != $bits(
          place_pick_t
      )) begin : gen_check_if
    $fatal(0, "s_event, s_req, m_pick: as place_event_t, place_req_t, place_pick_t (%m)");
  end

  typedef enum logic [3:0] {
    INIT,  // waits for the device table after reset
    IDLE,
    EVENT,
    EVENT_WAIT,  // waits for the device
    BEGIN,
    SCAN,
    SCAN_WAIT,  // waits for the scan
    DECIDE,  // after the first scan
    TAKE,
    CHECK,
    ASSIGN,
    ASSIGN_WAIT,  // waits for the device
    OUTPUT
  } state_e;
  state_e state_q;

  place_event_t event_in, event_q;
  place_req_t req_q;
  logic serve_request_q;
  assign event_in = s_event.data;
  assign s_event.ready = state_q == IDLE && !serve_request_q;
  assign s_req.ready = state_q == IDLE && serve_request_q;
  assign busy = state_q != IDLE;

  logic [31:0] occupied_q, stripes_q;
  logic [47:0] count_q;
  logic [36:0] needed_q;
  logic signed [41:0] slack_q;
  logic by_room_q, counted_q, full_q, divided_q;
  logic [PORTS-1:0] picked_q;
  logic [31:0][6:0] list_q;  // picked devices in key order
  logic [4:0] n_q, want_q, at_q;
  logic [7:0] required_q;
  place_outcome_e outcome_q;

  // Scan and device table.
  logic rd_en, scanned, found, best_full, best_required, op_ready, op_done;
  logic [6:0] rd_at, best;
  logic [7:0] with_space, available_count, required_count, want;
  logic [39:0] space;
  placer_device_t rd_device;
  place_key_t max_base;

  kumi_placer_select #(
      .PORTS(PORTS)
  ) u_scan (
      .clk,
      .rst,
      .start      (state_q == SCAN),
      .dynamic    (cfg_dynamic),
      .single     (cfg_width == 5'd1),
      .depth      (cfg_depth),
      .stripes    (stripes_q),
      .max_base,
      .by_capacity(by_room_q),
      .free_only  (req_q.one),
      .slack      (slack_q > 0),
      .exclude    (req_q.one ? req_q.exclude[PORTS-1:0] : picked_q),
      .rd_en,
      .rd_at,
      .rd_device,
      .done       (scanned),
      .found,
      .best,
      .best_full,
      .best_required,
      .with_space,
      .available_count,
      .required_count,
      .space
  );

  kumi_placer_device_table #(
      .PORTS(PORTS)
  ) u_device (
      .clk,
      .rst,
      .cfg_dynamic,
      .cfg_unit,
      .s_valid     (state_q == EVENT || state_q == ASSIGN),
      .s_ready     (op_ready),
      .assign_chunk(state_q == ASSIGN),
      .op          (event_q.op),
      .device      (state_q == ASSIGN ? 8'(list_q[at_q]) : event_q.device),
      .value       (event_q.value),
      .done        (op_done),
      .rd_en,
      .rd_at,
      .rd_device,
      .max_base
  );

  // Rotation of positions: stripes placed so far modulo the width of this one.
  logic rotate_start, rotation_done;
  logic [47:0] quotient;
  logic [ 4:0] rotation;
  assign rotate_start = state_q == TAKE && n_q == 0 && !by_room_q;
  kumi_divider #(
      .DIVIDEND_W(48),
      .DIVISOR_W (5)
  ) u_divide (
      .clk,
      .rst,
      .start    (rotate_start),
      .dividend (count_q),
      .divisor  (want_q),
      .done     (rotation_done),
      .quotient,
      .remainder(rotation)
  );

  // Recently picked devices, move-to-front list: entries before the device's shift down.
  logic [7:0][7:0] recent_q;
  logic [3:0] recent_count_q;
  logic [7:0] shift_down;
  logic already_recent;
  always_comb begin
    already_recent = 1'b0;
    for (int i = 0; i < 8; i++) begin
      shift_down[i] = !already_recent;
      if (4'(i) < recent_count_q && recent_q[i] == 8'(list_q[at_q])) already_recent = 1'b1;
    end
  end

  logic [5:0] place;
  logic last, ready;
  logic signed [41:0] missed_required;
  place_pick_t pick;
  assign want = with_space < 8'(cfg_width) ? with_space : 8'(cfg_width);
  assign missed_required = 42'(required_count) - 42'(required_q);
  assign last = outcome_q != PICKED || at_q + 1'b1 == want_q;
  assign place = 6'(at_q) + (req_q.one ? 6'd0 : 6'(rotation));
  assign pick.outcome = outcome_q;
  assign pick.last = last;
  assign pick.count = want_q;
  assign pick.position = place >= 6'(want_q) ? 5'(place - 6'(want_q)) : place[4:0];
  assign pick.device = 8'(list_q[at_q]);
  assign m_pick.data = pick;
  assign m_pick.valid = state_q == OUTPUT;
  assign ready = m_pick.ready;

  always_ff @(posedge clk) begin
    if (rotation_done) divided_q <= 1'b1;
    case (state_q)
      INIT:       if (op_done) state_q <= IDLE;
      IDLE: begin
        serve_request_q <= !serve_request_q;
        if (s_event.valid && s_event.ready) begin
          event_q <= event_in;
          case (event_in.op)
            PL_OCCUPY: if (occupied_q != '1) occupied_q <= occupied_q + 1'b1;
            PL_VACATE: if (occupied_q != 0) occupied_q <= occupied_q - 1'b1;
            default:   state_q <= EVENT;
          endcase
          if (event_in.op == PL_START) begin
            occupied_q     <= '0;
            count_q        <= '0;
            recent_count_q <= '0;
          end
        end
        if (s_req.valid && s_req.ready) begin
          req_q     <= s_req.data;
          stripes_q <= cfg_physical > occupied_q ? cfg_physical - occupied_q : '0;
          state_q   <= BEGIN;
        end
      end
      EVENT:      if (op_ready) state_q <= EVENT_WAIT;
      EVENT_WAIT: if (op_done) state_q <= IDLE;
      BEGIN: begin
        needed_q   <= 37'(cfg_width) * 37'(stripes_q);
        outcome_q  <= PICKED;
        by_room_q  <= 1'b0;
        counted_q  <= 1'b0;
        divided_q  <= 1'b0;
        full_q     <= 1'b0;
        picked_q   <= '0;
        required_q <= '0;
        n_q        <= '0;
        at_q       <= '0;
        slack_q    <= '0;
        state_q    <= SCAN;
      end
      SCAN:       state_q <= SCAN_WAIT;
      SCAN_WAIT:  if (scanned) state_q <= counted_q ? TAKE : DECIDE;
      DECIDE: begin
        counted_q <= 1'b1;
        slack_q   <= signed'({2'd0, space}) - signed'({5'd0, needed_q});
        want_q    <= req_q.one ? 5'd1 : want[4:0];
        state_q   <= req_q.one ? SCAN : TAKE;
        if (!req_q.one && (want == 0 || with_space < 8'(req_q.least))) begin
          outcome_q <= NO_SPACE;
          state_q   <= OUTPUT;
        end else if (!req_q.one && available_count < want) begin
          outcome_q <= QUEUES_FULL;
          state_q   <= OUTPUT;
        end
      end
      TAKE: begin
        list_q[n_q] <= best;
        for (int i = 0; i < PORTS; i++) if (best == 7'(i)) picked_q[i] <= 1'b1;
        required_q <= required_q + 8'(best_required);
        full_q     <= full_q || best_full;
        n_q        <= n_q + 1'b1;
        state_q    <= n_q + 1'b1 == want_q ? CHECK : SCAN;
        if (!found) begin
          outcome_q <= NO_SPACE;
          state_q   <= OUTPUT;
        end
      end
      CHECK: begin
        if (req_q.one) begin
          state_q <= ASSIGN;
        end else if (!by_room_q && missed_required > slack_q) begin
          by_room_q <= 1'b1;
          full_q    <= 1'b0;
          picked_q  <= '0;
          n_q       <= '0;
          state_q   <= SCAN;
        end else if (by_room_q && full_q) begin
          outcome_q <= QUEUES_FULL;
          state_q   <= OUTPUT;
        end else if (divided_q) begin
          state_q <= ASSIGN;
        end
      end
      ASSIGN:     if (op_ready) state_q <= ASSIGN_WAIT;
      ASSIGN_WAIT: begin
        if (op_done) begin
          state_q     <= OUTPUT;
          recent_q[0] <= pick.device;
          for (int i = 1; i < 8; i++) if (shift_down[i]) recent_q[i] <= recent_q[i-1];
          if (!already_recent && recent_count_q != 4'd8) recent_count_q <= recent_count_q + 1'b1;
        end
      end
      default: begin
        if (ready) begin
          at_q    <= at_q + 1'b1;
          state_q <= last ? IDLE : ASSIGN;
          if (last && outcome_q == PICKED && !req_q.one) begin
            count_q <= count_q + 1'b1;
            if (occupied_q != '1) occupied_q <= occupied_q + 1'b1;
          end
        end
      end
    endcase
    if (rst) begin
      state_q         <= INIT;
      serve_request_q <= 1'b0;
      occupied_q      <= '0;
      count_q         <= '0;
      recent_count_q  <= '0;
    end
  end

  assign occupied     = occupied_q;
  assign recent       = recent_q;
  assign recent_count = recent_count_q;

  logic unused;
  assign unused = ^{quotient, want};
endmodule
