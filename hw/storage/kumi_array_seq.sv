// SPDX-License-Identifier: Apache-2.0
//
// Commands of the storage array, step by step: places stripes, asks the ports, enters versions in
// the map, reads, reconstructs, heals.
//
// One step machine does all that is short; requests to devices are under way in CONTEXTS contexts
//   at once, each with a logical stripe and room for its chunks in memory, and are ended in any
//   order. A command for a stripe that is under way waits. COMMIT, RAW and settings run alone.
// s_cmd, m_rsp: array_cmd_t, array_rsp_t. The other ports: the units around it, see kumi_storage.
// usable, readable: devices that new chunks go to, that are read; a device that fails a write or a
//   flush, answers too late, is gone, or has failed cfg_errors reads is in neither any more.
// failed: those that failed since the host last set their state.
// Nothing waits for ever: ports answer every request, the units each of theirs.
module kumi_array_seq
  import kumi_array_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 4,
    parameter int WIDTH = 8,  // chunks of a stripe at most, 1..30
    parameter int CONTEXTS = 8  // stripes under way, 2..16
) (
    input logic clk,
    input logic rst,
    kumi_hdr_if.snk s_cmd,
    kumi_hdr_if.src m_rsp,
    // data engine
    kumi_hdr_if.src m_move,
    kumi_hdr_if.snk s_moved,
    // check chunks
    kumi_hdr_if.src m_stripe,
    kumi_hdr_if.snk s_coef,
    kumi_hdr_if.src m_coef,
    // placement
    kumi_hdr_if.src m_event,
    kumi_hdr_if.src m_place,
    kumi_hdr_if.snk s_pick,
    input logic [31:0] occupied,
    input logic [7:0][7:0] recent,
    input logic [3:0] recent_count,
    input logic placer_busy,
    kumi_hdr_if.src m_slot,
    kumi_hdr_if.snk s_slot,
    // ports
    output logic io_valid,
    input logic io_ready,
    output logic [7:0] io_unit,
    output logic io_chunk,  // its sector is a slot
    output io_t io,
    input logic end_valid,
    input logic [7:0] end_unit,
    input io_end_t end_what,
    input logic [31:0] end_took,
    input logic end_many,
    output logic end_fails,
    output logic [7:0] look,
    input logic [4:0] look_open,
    input logic gone_valid,
    input logic [7:0] gone_device,
    output logic gone_take,
    // commits
    output logic commit,
    input logic commit_done,
    input logic [PORTS-1:0] commit_full,
    input logic commit_any_full,
    input logic commit_lost,
    output logic wrote,
    output logic pend_set,
    output logic [31:0] pend_at,
    output logic pend_scan,
    output logic pend_clear,
    input logic pend_idle,
    // settings and state
    output logic [4:0] cfg_k,
    output logic [1:0] cfg_p,
    output logic [4:0] cfg_width,
    output logic [4:0] cfg_chunk,
    output logic [4:0] cfg_log_room,
    output logic [4:0] cfg_stride,
    output logic [31:0] cfg_stripes,
    output logic [31:0] cfg_physical,
    output logic [31:0] cfg_map,
    output logic [31:0] cfg_log,
    output logic [7:0] cfg_depth,
    output logic [47:0] cfg_unit,
    output logic [31:0] cfg_errors,
    output logic set,
    output set_e set_what,
    output logic [7:0] set_unit,
    output logic [63:0] set_arg,
    input logic [PORTS-1:0] usable,
    input logic [PORTS-1:0] readable,
    input logic [PORTS-1:0] failed,
    input logic [7:0] usable_count,
    input logic [15:0] failures,
    output logic raw,  // io_unit is a port
    output logic busy,
    kumi_axi_if.mst m_axi
);
  localparam int CONTEXT_W = $clog2(CONTEXTS);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);
  localparam int POSITION_W = WIDTH == 1 ? 1 : $clog2(WIDTH);
  localparam int TRIES = 8;
  localparam logic [7:0] ABSENT = 8'hff;

  if (PORTS < 1 || PORTS > 128 || WIDTH < 1 || WIDTH > 30 || CONTEXTS < 2 || CONTEXTS > 16)
  begin : gen_check
    $fatal(0, "PORTS must be 1..128, WIDTH 1..30, CONTEXTS 2..16 (%m)");
  end

  typedef enum logic [6:0] {
    IDLE,
    DECODE,
    REPLY,
    LOAD,
    STORE,
    MOVE,
    MOVED,
    EVENT,
    SLOT,
    SLOT_GOT,
    IO,
    COEF,
    ASK,
    DROP,  // steps that others use
    WRITE,
    WRITE_MOVED,
    CHECK,
    CHECK_MOVED,
    COPY,
    PLACE,
    PICK,
    CHOSEN,
    MISSING,
    SEND,
    WROTE,
    WROTE_BACK,
    WROTE_NEXT,
    UNQUEUE,
    OLD,
    OLD_COPY,
    HOLD,
    HOLD_DONE,
    LIST,
    LISTED,
    BUILD,
    ENTER,
    UNMAP,
    READ,
    READ_LOOK,
    READ_COPY,
    READ_ASK,
    READ_GO,
    READ_HOST,
    READ_SEND,
    READ_SENT,
    GATHER,
    GATHER_EACH,
    VERIFY,
    VERIFIED,
    JUDGE,
    GIVE,
    GIVEN,
    MEND,
    MEND_MOVED,
    MADE,
    MADE_NEXT,
    HEAL,
    HEAL_COPY,
    HEAL_WALK,
    HEAL_JUDGE,
    HEAL_PICK,
    HEAL_GOT,
    HEAL_SLOT,
    HEAL_BACK,
    COMMIT,
    RELEASE,
    RELEASE_NEXT,
    RELEASE_EACH,
    RELEASE_ONE,
    FORGET,
    RAW,
    RAW_WAIT,
    RAW_MOVED,
    MEASURE,
    TELL,
    SET
  } state_e;
  typedef enum logic [1:0] {
    FREE,
    PLACING,
    BUSY
  } context_e;
  typedef enum logic [2:0] {
    K_WRITE,
    K_READ,
    K_GATHER,
    K_SCAN,
    K_HEAL,
    K_RAW
  } kind_e;

  // ---- settings -------------------------------------------------------------------------------
  logic [1:0] cfg_holders;
  logic [31:0] cfg_list, cfg_stage, cfg_limit;

  array_cmd_t ask;
  assign ask = s_cmd.data;

  // ---- contexts -------------------------------------------------------------------------------
  context_e state_c_q[CONTEXTS];
  kind_e kind_c_q[CONTEXTS];
  logic [15:0] tag_c_q[CONTEXTS];
  logic [31:0] logical_c_q[CONTEXTS];
  logic [4:0] position_c_q[CONTEXTS];
  logic verify_c_q[CONTEXTS];
  logic [1:0] frames_c_q[CONTEXTS];
  logic [3:0] tries_c_q[CONTEXTS];
  logic [WIDTH-1:0] wait_c_q[CONTEXTS], error_c_q[CONTEXTS], asked_c_q[CONTEXTS];
  logic [7:0][7:0] recent_c_q[CONTEXTS];
  logic [3:0] recents_c_q[CONTEXTS];

  logic [CONTEXTS-1:0] is_free, is_ready, is_placing, same;
  logic [CONTEXT_W-1:0] free_c, ready_c, placing_c, c_q;
  always_comb begin
    free_c = '0;
    ready_c = '0;
    placing_c = '0;
    for (int i = CONTEXTS - 1; i >= 0; i--) begin
      is_free[i] = state_c_q[i] == FREE;
      is_ready[i] = state_c_q[i] == BUSY && wait_c_q[i] == '0;
      is_placing[i] = state_c_q[i] == PLACING;
      same[i] = state_c_q[i] != FREE && logical_c_q[i] == ask.index;
      if (is_free[i]) free_c = CONTEXT_W'(i);
      if (is_ready[i]) ready_c = CONTEXT_W'(i);
      if (is_placing[i]) placing_c = CONTEXT_W'(i);
    end
  end

  // ---- registers of the step machine ----------------------------------------------------------
  state_e state_q, back_q, slot_back_q;
  array_cmd_t cmd_q;
  array_rsp_t rsp_q;
  move_t move_q;
  moved_t moved_q;
  io_t io_q;
  logic [7:0] unit_q;
  place_event_t event_q;
  slot_req_t slot_q;
  slot_rsp_t got_q;
  coef_t coef_q;
  pick_t pick_q;
  logic [4:0] j_q, n_q, i_q;
  logic [31:0] addr_q, list_q, pend_q, item_q;
  logic [63:0] seq_q, cycles_q;
  logic place_ok_q, mapped_q, heal_q, bad_q, kick_q, raw_q, one_q;
  logic [WIDTH-1:0] good_q, keep_q, left_q;
  logic [PORTS-1:0] members_q;
  logic [7:0] members_count_q;
  logic [15:0] before_q;
  logic spoilt_q;  // a chunk on a device that works has to move
  logic [47:0] lba_q;
  logic [WIDTH-1:0][7:0] device_q;
  logic [31:0] count_q;


  // ---- words: an entry of the map, or of the list of versions ---------------------------------
  // 0 sequence number, 1 kind and logical stripe, 2.. positions, then holders, then (list) what is
  // to be freed.
  logic [63:0] entry[64];
  logic entry_we;
  logic [5:0] entry_at;
  logic [63:0] entry_in, word;
  logic w_req, w_done, w_bad;
  logic [5:0] holders_at, free_at;
  assign holders_at = 6'(cfg_width) + 6'd2;
  assign free_at = 6'(cfg_width) + 6'd3;

  kumi_array_word u_word (
      .clk,
      .rst,
      .req  (w_req && !w_done),
      .we   (state_q == STORE),
      .addr (addr_q + {24'd0, i_q, 3'b000}),
      .wdata(entry[6'(i_q)]),
      .done (w_done),
      .bad  (w_bad),
      .rdata(word),
      .m_axi
  );
  assign w_req = state_q == LOAD || state_q == STORE;

  // ---- places of the chunks of each context ---------------------------------------------------
  logic [63:0] place[CONTEXTS << 5];
  logic place_we;
  logic [4:0] place_at;
  logic [63:0] place_in, here, old_place;
  assign here = place[{c_q, j_q}];
  assign old_place = entry[6'(j_q)+6'd2];

  // ---- holders --------------------------------------------------------------------------------
  logic holders_start, holders_done;
  logic [2:0][7:0] holders;
  kumi_array_holders #(
      .PORTS(PORTS),
      .WIDTH(WIDTH)
  ) u_holders (
      .clk,
      .rst,
      .start(holders_start),
      .mapped(mapped_q),
      .places(device_q),
      .old(entry[holders_at][23:0]),
      .recent(recent_c_q[c_q]),
      .recent_count(recents_c_q[c_q]),
      .width(cfg_width),
      .wanted(cfg_holders),
      .usable,
      .done(holders_done),
      .holders
  );
  assign holders_start = state_q == HOLD;

  // ---- small helpers --------------------------------------------------------------------------
  function automatic logic has(input logic [PORTS-1:0] these, input logic [7:0] device);
    return device < 8'(PORTS) && these[UNIT_W'(device)];
  endfunction
  function automatic logic [31:0] chunk_addr(input logic [CONTEXT_W-1:0] c, input logic [4:0] j);
    return cfg_stage + (32'({c, POSITION_W'(cfg_k == 5'd1 && kind_c_q[c] == K_WRITE ? '0 : j)})
        << cfg_chunk);
  endfunction
  function automatic logic [5:0] ones(input logic [WIDTH-1:0] v);
    ones = '0;
    for (int i = 0; i < WIDTH; i++) ones += 6'(v[i]);
  endfunction
  function automatic logic [4:0] lowest(input logic [WIDTH-1:0] v);
    lowest = '0;
    for (int i = WIDTH - 1; i >= 0; i--) if (v[i]) lowest = 5'(i);
  endfunction

  logic [25:0] chunk_bytes;
  logic [WIDTH-1:0] all, lost, lost_more, bit_j;
  logic last_j, checks;
  logic [4:0] held_count;
  assign chunk_bytes = 26'd1 << cfg_chunk;
  assign checks = cfg_p != '0 && cfg_k != 5'd1;
  assign last_j = j_q + 5'd1 == cfg_width;
  assign bit_j = WIDTH'(1) << j_q;
  assign lost = all & ~good_q;
  assign lost_more = lost & (lost - 1'b1);
  always_comb begin
    for (int i = 0; i < WIDTH; i++) all[i] = 5'(i) < cfg_width;
    held_count = '0;
    for (int i = 0; i < 3; i++) held_count += 5'(has(usable, entry[holders_at][8*i+:8]));
  end

  function automatic move_t move_of(input from_e from, input logic memory, input logic host,
                                    input logic parity, input logic last, input logic check,
                                    input logic [31:0] crc, input logic [31:0] addr);
    return
    '{
        from : from,
        to_memory: memory,
        to_host: host,
        to_parity: parity,
        last: last,
        check: check,
        crc: crc,
        addr: addr,
        bytes: chunk_bytes
    }
    ;
  endfunction

  // Every chunk under way may end while the placer is busy: events of ends always have room.
  localparam int EVENTS = 1 << $clog2(CONTEXTS * WIDTH + 32);
  logic take_cmd, ask_stripe, event_push, event_room, event_taken, end_placed, old_mapped;
  logic [$clog2(EVENTS):0] event_depth;
  assign event_room  = event_depth < ($clog2(EVENTS) + 1)'(EVENTS - CONTEXTS * WIDTH);

  // ---- handshakes -----------------------------------------------------------------------------
  assign s_cmd.ready = state_q == IDLE && take_cmd;
  assign m_rsp.valid = state_q == REPLY;
  array_rsp_t rsp;
  always_comb begin
    rsp = rsp_q;
    rsp.failures = failures;
  end
  assign m_rsp.data = rsp;
  assign m_move.valid = state_q == MOVE;
  assign m_move.data = move_q;
  assign s_moved.ready = state_q == MOVED;
  assign m_slot.valid = state_q == SLOT;
  assign m_slot.data = slot_q;
  assign s_slot.ready = state_q == SLOT_GOT;
  assign io_valid = state_q == IO;
  assign io_chunk = !raw_q;
  assign io_unit = unit_q;
  assign io = io_q;
  assign m_place.valid = (state_q == PLACE && !bad_q && place_ok_q)
      || (state_q == HEAL_PICK && left_q != '0);
  assign m_place.data = place_req_t'{
          one: state_q == HEAL_PICK,
          least: cfg_k,
          without: 128'(members_q)
      };
  assign s_pick.ready = state_q == PICK || state_q == HEAL_GOT;
  // A coefficient goes to the unit of check chunks, and its position is looked at here.
  assign m_coef.data = s_coef.data;
  assign m_coef.valid = state_q == COEF && s_coef.valid;
  assign s_coef.ready = state_q == COEF && m_coef.ready;
  assign commit = state_q == COMMIT && !one_q;
  assign wrote = state_q == IO && io_ready && io_q.op == IO_WRITE && !raw_q;
  assign pend_set = state_q == ENTER;
  assign pend_at = logical_c_q[c_q];
  assign pend_scan = state_q == FORGET && !one_q;
  assign busy = state_q != IDLE || !(&is_free);

  // Nothing that the placer does not know yet.
  logic  settled;
  pick_t pick;
  assign settled = !m_event.valid && event_depth == '0 && !placer_busy;
  assign pick = s_pick.data;

  stripe_t stripe_q;
  assign m_stripe.valid = ask_stripe;
  assign m_stripe.data  = stripe_q;
  logic for_stripe;
  assign for_stripe = ask.op == DO_WRITE || ask.op == DO_READ || ask.op == DO_UNMAP
      || ask.op == DO_HEAL;
  assign take_cmd = s_cmd.valid && is_ready == '0 && !gone_valid && is_placing == '0
      && (for_stripe ? |is_free && same == '0 : &is_free);

  // ---- events of the placer: ends of requests first -------------------------------------------
  place_event_t event_in;
  kind_e end_kind;
  assign end_kind = kind_c_q[CONTEXT_W'(end_what.context_)];
  assign end_placed = end_valid && state_q != COMMIT && !raw_q
      && (end_kind == K_WRITE || end_kind == K_HEAL);
  assign end_fails = end_valid && end_what.reason != '0 && !raw_q && has(
      readable, end_unit
  ) && (end_placed || state_q == COMMIT || end_what.reason == 4'(kumi_sata_cmd_pkg::RSP_TIMEOUT) ||
        end_what.reason == 4'(kumi_sata_cmd_pkg::RSP_GONE) || (cfg_p != '0 && end_many));
  assign event_push = end_placed || (state_q == EVENT && event_room);
  assign event_in = end_placed ? place_event_t
'{op: PL_SERVED, device: end_unit, value: end_what.reason == '0 ? end_took : '0}
      : event_q;
  kumi_fifo #(
      .W($bits(place_event_t)),
      .DEPTH(EVENTS),
      .STYLE(0)
  ) u_events (
      .clk,
      .rst,
      .s_data (event_in),
      .s_valid(event_push),
      .s_ready(event_taken),
      .m_data (m_event.data),
      .m_valid(m_event.valid),
      .m_ready(m_event.ready),
      .depth  (event_depth)
  );

  // ---- what is written to places and entry ----------------------------------------------------
  always_comb begin
    place_we = 1'b0;
    place_at = j_q;
    place_in = {32'd0, moved_q.crc};
    case (state_q)
      WRITE_MOVED, CHECK_MOVED, COPY: place_we = 1'b1;
      CHOSEN, HEAL_SLOT: begin
        place_we = 1'b1;
        place_in = {pick_q.device, got_q.slot, here[31:0]};
      end
      MISSING, WROTE_NEXT: begin
        place_we = 1'b1;
        place_in = {ABSENT, 24'd0, here[31:0]};
      end
      READ_COPY, HEAL_COPY: begin
        place_we = 1'b1;
        place_in = old_place;
      end
      OLD_COPY: begin
        place_we = keep_q[POSITION_W'(j_q)];
        place_in = old_place;
      end
      default: ;
    endcase
    entry_we = 1'b0;
    entry_at = 6'(i_q);
    entry_in = word;
    case (state_q)
      LOAD: entry_we = w_done;
      LIST: begin
        entry_we = 1'b1;
        entry_at = free_at;
        entry_in = old_mapped ? 64'(left_q) : '0;
      end
      BUILD: begin
        entry_we = 1'b1;
        case (i_q)
          5'd0: entry_in = seq_q + 1'b1;
          5'd1: entry_in = {24'd0, mapped_q ? 8'd1 : 8'd2, logical_c_q[c_q]};
          default: entry_in = 6'(i_q) == holders_at ? {40'd0, holders} : mapped_q ? here : '0;
        endcase
      end
      default: ;
    endcase
  end
  always_ff @(posedge clk) begin
    if (place_we) place[{c_q, place_at}] <= place_in;
    if (entry_we) entry[entry_at] <= entry_in;
  end

  assign old_mapped = entry[1][39:32] == 8'd1;
  logic [31:0] map_entry, list_entry, list_item;
  assign map_entry  = cfg_map + (logical_c_q[c_q] << cfg_stride);
  assign list_entry = cfg_list + (list_q << cfg_stride);
  assign list_item  = cfg_list + (item_q << cfg_stride);
  assign ask_stripe = state_q == ASK;

  // ---- requests under way at each device, for reads of copies ---------------------------------
  logic [4:0] best_q, best_open_q;
  assign look = old_place[63:56];

  logic few_holders;  // fewer devices that work have its record than could
  assign few_holders = held_count < 5'(cfg_holders) && 8'(held_count) < usable_count;

  function automatic array_rsp_t answer(input end_e reason, input logic [31:0] detail,
                                        input logic [63:0] value);
    return
    '{
        failures: '0,
        tag: tag_c_q[c_q],
        frames: frames_c_q[c_q],
        zero: '0,
        reason: reason,
        unit: '0,
        detail: detail,
        value: value
    }
    ;
  endfunction
  function automatic io_t io_of(input io_e op, input logic [23:0] slot);
    return
    '{
        position: j_q,
        context_: 4'(c_q),
        op: op,
        sectors: 17'(chunk_bytes >> 9),
        lba: 48'(slot),
        addr: chunk_addr(c_q, j_q)
    }
    ;
  endfunction

  logic [3:0] reason_q;  // of a raw request
  logic idle_any;
  logic [CONTEXT_W-1:0] idle_c;
  logic [CONTEXTS-1:0] waits;
  always_comb begin
    idle_c = '0;
    for (int i = CONTEXTS - 1; i >= 0; i--) begin
      waits[i] = wait_c_q[i] != '0;
      if (!waits[i]) idle_c = CONTEXT_W'(i);
    end
    idle_any = !(&waits);
  end

  // A setting of a device that is not there, or that works and is at no port, is refused.
  logic set_bad;
  always_comb begin
    case (cmd_q.unit)
      8'(SET_DATA), 8'(SET_OWNER), 8'(SET_HALF), 8'(SET_ROOM): set_bad = cmd_q.index >= PORTS;
      8'(SET_STATE):
      set_bad = cmd_q.index >= PORTS || (cmd_q.arg[1:0] != '0 && cmd_q.arg[15:8] >= 8'(PORTS));
      default: set_bad = cmd_q.unit > 8'(SET_ERRORS);
    endcase
  end
  assign set = state_q == SET && !set_bad;
  assign set_what = set_e'(cmd_q.unit[4:0]);
  assign set_unit = cmd_q.index[7:0];
  assign set_arg = cmd_q.arg;

  // A word of 64 devices.
  logic [127:0] told;
  always_comb begin
    case (state_set_e'(cmd_q.unit[2:1]))
      STATE_FAILED: told = 128'(failed);
      STATE_USABLE: told = 128'(usable);
      STATE_READABLE: told = 128'(readable);
      default: told = 128'(commit_full);
    endcase
  end

  assign raw = raw_q;
  assign pend_clear = state_q == FORGET;
  assign gone_take = state_q == IDLE && gone_valid;

  always_ff @(posedge clk) begin
    case (state_q)
      // ---- what is next ---------------------------------------------------------------------
      IDLE: begin
        j_q <= '0;
        i_q <= '0;
        bad_q <= 1'b0;
        good_q <= '0;
        keep_q <= '0;
        heal_q <= 1'b0;
        raw_q <= 1'b0;
        one_q <= 1'b0;
        back_q <= IDLE;
        if (gone_valid) begin
          event_q <= '{op: PL_USABLE, device: gone_device, value: '0};
          state_q <= EVENT;
        end else if (|is_ready) begin
          c_q <= ready_c;
          case (kind_c_q[ready_c])
            K_WRITE: state_q <= WROTE;
            K_READ:  state_q <= READ_HOST;
            K_HEAL:  state_q <= HEAL_BACK;
            default: state_q <= VERIFY;
          endcase
        end else if (|is_placing) begin
          c_q <= placing_c;
          if (kick_q) state_q <= PLACE;
          kick_q <= 1'b0;
        end else if (take_cmd) begin
          cmd_q <= ask;
          c_q <= free_c;
          state_c_q[free_c] <= BUSY;
          tag_c_q[free_c] <= ask.tag;
          logical_c_q[free_c] <= ask.index;
          position_c_q[free_c] <= ask.unit[4:0];
          verify_c_q[free_c] <= ask.arg[0];
          frames_c_q[free_c] <= '0;
          tries_c_q[free_c] <= '0;
          recents_c_q[free_c] <= '0;
          kind_c_q[free_c] <= ask.op == DO_WRITE ? K_WRITE : ask.op == DO_READ ? K_READ
              : ask.op == DO_HEAL ? K_SCAN : K_RAW;
          state_q <= DECODE;
        end
      end
      DECODE: begin
        addr_q <= map_entry;
        n_q <= cfg_width + 5'd3;
        stripe_q <= '{
            want: cfg_p == 2'd2 ? 2'b11 : 2'b01,
            two: cfg_p == 2'd2,
            lost1: cfg_k + 5'd1,
            lost0: cfg_k,
            p: cfg_p,
            k: cfg_k
        };
        raw_q <= cmd_q.op >= DO_RAW_READ && cmd_q.op <= DO_MEASURE;
        count_q <= cmd_q.count;
        cycles_q <= '0;
        before_q <= failures;
        lba_q <= cmd_q.arg[47:0];
        rsp_q <= answer(END_BAD, '0, '0);
        state_q <= REPLY;
        case (cmd_q.op)
          DO_SET: state_q <= SET;
          DO_WRITE: begin
            state_q <= checks ? ASK : WRITE;
            back_q  <= WRITE;
            if (cmd_q.index >= cfg_stripes) state_q <= DROP;
            else if (pend_q >= cfg_limit) begin
              rsp_q   <= answer(END_NO_ROOM, '0, '0);
              state_q <= DROP;
            end
          end
          DO_READ:
          if (cmd_q.index < cfg_stripes && cmd_q.unit < 8'(cfg_k)) begin
            back_q  <= READ;
            state_q <= LOAD;
          end
          DO_UNMAP, DO_HEAL:
          if (cmd_q.index < cfg_stripes) begin
            back_q  <= cmd_q.op == DO_UNMAP ? UNMAP : HEAL;
            state_q <= LOAD;
            if (pend_q >= cfg_limit) begin
              rsp_q   <= answer(END_NO_ROOM, '0, '0);
              state_q <= REPLY;
            end
          end
          DO_COMMIT: state_q <= COMMIT;
          DO_STATE: if (cmd_q.unit < 8'd8) state_q <= TELL;
          DO_RELEASE: begin
            item_q  <= '0;
            state_q <= RELEASE;
          end
          DO_RAW_READ, DO_RAW_FLUSH, DO_MEASURE:
          if (cmd_q.unit < 8'(PORTS)) state_q <= cmd_q.op == DO_MEASURE ? MEASURE : RAW;
          DO_RAW_WRITE, DO_MEM_WRITE, DO_MEM_READ: begin
            move_q <= '{
                from : cmd_q.op == DO_MEM_READ ? FROM_MEMORY : FROM_HOST,
                to_memory: cmd_q.op != DO_MEM_READ,
                to_host: cmd_q.op == DO_MEM_READ,
                to_parity: 1'b0,
                last: 1'b1,
                check: 1'b0,
                crc: '0,
                addr: cmd_q.op == DO_RAW_WRITE ? cfg_stage : cmd_q.arg[31:0],
                bytes: {cmd_q.count[16:0], 9'd0}
            };
            back_q <= cmd_q.op == DO_RAW_WRITE ? RAW : RAW_MOVED;
            state_q <= MOVE;
            if (cmd_q.op == DO_RAW_WRITE && cmd_q.unit >= 8'(PORTS)) state_q <= DROP;
            if (cmd_q.count[16:0] == '0) state_q <= cmd_q.op == DO_MEM_READ ? REPLY : DROP;
            if (cmd_q.op == DO_MEM_READ) frames_c_q[c_q] <= 2'd1;
          end
          default: ;
        endcase
      end
      REPLY:
      if (m_rsp.ready) begin
        state_c_q[c_q] <= FREE;
        state_q <= IDLE;
      end

      // ---- steps ----------------------------------------------------------------------------
      LOAD, STORE:
      if (w_done) begin
        i_q   <= i_q + 1'b1;
        bad_q <= bad_q || w_bad;
        if (i_q + 5'd1 == n_q) begin
          i_q <= '0;
          j_q <= '0;
          state_q <= back_q;
          if (w_bad || bad_q) begin
            rsp_q   <= answer(END_MEMORY, '0, '0);
            state_q <= REPLY;
          end
        end
      end
      MOVE: if (m_move.ready) state_q <= MOVED;
      MOVED:
      if (s_moved.valid) begin
        moved_q <= s_moved.data;
        state_q <= back_q;
      end
      EVENT:
      if (event_room && !end_placed) begin
        state_q <= back_q;
      end
      SLOT: if (m_slot.ready) state_q <= SLOT_GOT;
      SLOT_GOT:
      if (s_slot.valid) begin
        got_q   <= s_slot.data;
        state_q <= slot_back_q;
      end
      IO:
      if (io_ready) begin
        wait_c_q[c_q][POSITION_W'(j_q)] <= 1'b1;
        j_q <= j_q + 1'b1;
        state_q <= back_q;
      end
      COEF:
      if (s_coef.valid && m_coef.ready) begin
        coef_q  <= s_coef.data;
        state_q <= slot_back_q;
      end
      ASK:
      if (m_stripe.ready) begin
        state_q <= back_q;
        slot_back_q <= MEND;
      end
      DROP: begin
        move_q  <= '{from : FROM_HOST, last: 1'b1, bytes: 26'd512, default: '0};
        back_q  <= REPLY;
        state_q <= MOVE;
      end

      // ---- a stripe comes -------------------------------------------------------------------
      WRITE: begin
        move_q <= move_of(
            FROM_HOST, 1'b1, 1'b0, checks, j_q + 5'd1 == cfg_k, 1'b0, '0, chunk_addr(c_q, j_q)
        );
        back_q <= WRITE_MOVED;
        slot_back_q <= MOVE;
        state_q <= checks ? COEF : MOVE;
      end
      WRITE_MOVED: begin
        bad_q <= bad_q || moved_q.bad;
        j_q   <= j_q + 1'b1;
        if (j_q + 5'd1 != cfg_k) state_q <= WRITE;
        else state_q <= checks ? CHECK : last_j ? PLACE : COPY;
      end
      CHECK: begin
        move_q  <= move_of(FROM_PARITY, 1'b1, 1'b0, 1'b0, 1'b0, 1'b0, '0, chunk_addr(c_q, j_q));
        back_q  <= CHECK_MOVED;
        state_q <= MOVE;
      end
      CHECK_MOVED: begin
        bad_q <= bad_q || moved_q.bad;
        j_q <= j_q + 1'b1;
        state_q <= last_j ? PLACE : CHECK;
      end
      COPY: begin
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= PLACE;
      end

      // ---- it gets places -------------------------------------------------------------------
      PLACE: begin
        asked_c_q[c_q] <= '0;
        error_c_q[c_q] <= '0;
        rsp_q <= answer(bad_q ? END_SOURCE : END_NO_ROOM, '0, '0);
        if (settled) place_ok_q <= occupied < cfg_physical;
        if (bad_q || (settled && !place_ok_q && occupied >= cfg_physical)) state_q <= REPLY;
        else if (m_place.valid && m_place.ready) begin
          place_ok_q <= 1'b0;
          state_q <= PICK;
        end
      end
      PICK:
      if (s_pick.valid) begin
        pick_q <= pick;
        j_q <= pick.position;
        slot_q <= '{op: SL_CLAIM, device: pick.device, slot: '0};
        slot_back_q <= CHOSEN;
        rsp_q <= answer(END_NO_ROOM, '0, '0);
        case (pick.outcome)
          PICKED:  state_q <= SLOT;
          QUEUES_FULL: begin
            state_c_q[c_q] <= PLACING;
            state_q <= IDLE;
          end
          default: state_q <= REPLY;
        endcase
      end
      CHOSEN: begin
        asked_c_q[c_q] <= asked_c_q[c_q] | bit_j;
        j_q <= '0;
        state_q <= PICK;
        if (pick_q.last) begin
          state_q <= SEND;
          if (pick_q.count != cfg_width) begin
            j_q <= pick_q.count;
            state_q <= MISSING;
          end
        end
      end
      MISSING: begin
        j_q <= last_j ? '0 : j_q + 1'b1;
        if (last_j) state_q <= SEND;
      end
      SEND:
      if (j_q != '0 || settled) begin
        if (j_q == '0) begin
          recent_c_q[c_q]  <= recent;
          recents_c_q[c_q] <= recent_count;
        end
        unit_q <= here[63:56];
        io_q   <= io_of(IO_WRITE, here[55:32]);
        back_q <= SEND;
        if (j_q == cfg_width) begin
          state_c_q[c_q] <= BUSY;
          state_q <= IDLE;
        end else if (asked_c_q[c_q][POSITION_W'(j_q)]) state_q <= IO;
        else j_q <= j_q + 1'b1;
      end

      // ---- it is written --------------------------------------------------------------------
      WROTE: begin
        mapped_q <= 1'b1;
        one_q <= ones(asked_c_q[c_q] & ~error_c_q[c_q]) < 6'(cfg_k);  // too few: all back
        left_q <= asked_c_q[c_q] & (ones(
            asked_c_q[c_q] & ~error_c_q[c_q]
        ) < 6'(cfg_k) ? '1 : error_c_q[c_q]);
        state_q <= WROTE_BACK;
      end
      WROTE_BACK: begin
        j_q <= lowest(left_q);
        if (left_q != '0) state_q <= WROTE_NEXT;
        else if (!one_q) state_q <= OLD;
        else begin
          tries_c_q[c_q] <= tries_c_q[c_q] + 1'b1;
          rsp_q <= answer(END_FAILED, '0, '0);
          kind_c_q[c_q] <= K_WRITE;
          event_q <= '{op: PL_VACATE, device: '0, value: '0};
          back_q <= tries_c_q[c_q] == 4'(TRIES - 1) ? REPLY : PLACE;
          one_q <= 1'b0;
          heal_q <= 1'b0;
          // A heal that found no place has taken no stripe yet.
          state_q <= heal_q ? PLACE : EVENT;
        end
      end
      WROTE_NEXT: begin
        left_q[POSITION_W'(j_q)] <= 1'b0;
        slot_q <= '{op: SL_RELEASE, device: here[63:56], slot: 25'(here[55:32])};
        event_q <= '{op: PL_RELEASE, device: here[63:56], value: '0};
        slot_back_q <= EVENT;
        back_q <= heal_q && one_q ? UNQUEUE : WROTE_BACK;
        state_q <= SLOT;
      end
      UNQUEUE: begin
        event_q <= '{op: PL_SERVED, device: event_q.device, value: '0};
        back_q  <= WROTE_BACK;
        state_q <= EVENT;
      end

      // ---- a version becomes the current one ------------------------------------------------
      OLD: begin
        addr_q <= map_entry;
        n_q <= cfg_width + 5'd3;
        back_q <= OLD_COPY;
        state_q <= LOAD;
      end
      // left_q: chunks of the version before that are free when this one is safe.
      OLD_COPY: begin
        device_q[POSITION_W'(j_q)] <= keep_q[POSITION_W'(j_q)] ? old_place[63:56] : here[63:56];
        left_q[POSITION_W'(j_q)] <= !(mapped_q && (keep_q[POSITION_W'(j_q)]
            || here[63:32] == old_place[63:32]));
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= HOLD;
      end
      HOLD: state_q <= HOLD_DONE;
      HOLD_DONE:
      if (holders_done) begin
        j_q <= '0;
        state_q <= entry[0] != '0 ? LIST : BUILD;
      end
      LIST: begin
        addr_q <= list_entry;
        n_q <= cfg_width + 5'd4;
        list_q <= list_q + 1'b1;
        back_q <= LISTED;
        state_q <= STORE;
      end
      // A healed stripe's old version takes room until the commit, like any other.
      LISTED: begin
        event_q <= '{op: PL_OCCUPY, device: '0, value: '0};
        back_q  <= BUILD;
        state_q <= heal_q ? EVENT : BUILD;
      end
      BUILD: begin
        i_q <= i_q + 1'b1;
        j_q <= i_q - 5'd1;
        if (6'(i_q) == holders_at) begin
          i_q <= '0;
          addr_q <= map_entry;
          n_q <= cfg_width + 5'd3;
          back_q <= ENTER;
          state_q <= STORE;
        end
      end
      ENTER: begin
        seq_q   <= seq_q + 1'b1;
        pend_q  <= pend_q + 1'b1;
        rsp_q   <= answer(END_OK, 32'd1, seq_q + 1'b1);
        state_q <= REPLY;
      end
      UNMAP: begin
        mapped_q <= 1'b0;
        rsp_q <= answer(END_OK, '0, '0);
        state_q <= old_mapped ? OLD : REPLY;
      end

      // ---- a chunk is read ------------------------------------------------------------------
      READ: begin
        best_q <= position_c_q[c_q];
        best_open_q <= '1;
        rsp_q <= answer(END_ZERO, '0, '0);
        state_q <= old_mapped ? READ_LOOK : REPLY;
      end
      READ_LOOK: state_q <= READ_COPY;
      READ_COPY: begin
        if (cfg_k == 5'd1 && has(readable, old_place[63:56]) && look_open < best_open_q) begin
          best_q <= j_q;
          best_open_q <= look_open;
        end
        j_q <= j_q + 1'b1;
        state_q <= last_j ? READ_ASK : READ_LOOK;
      end
      READ_ASK: begin
        j_q <= best_q;
        position_c_q[c_q] <= best_q;
        state_q <= READ_GO;
      end
      READ_GO: begin
        unit_q <= here[63:56];
        io_q <= io_of(IO_READ, here[55:32]);
        error_c_q[c_q] <= '0;
        back_q <= IDLE;
        state_q <= IO;
        if (!has(readable, here[63:56])) begin
          j_q <= '0;
          state_q <= GATHER;
        end
      end
      READ_HOST: begin
        j_q <= position_c_q[c_q];
        state_q <= READ_SEND;
      end
      READ_SEND: begin
        move_q <= move_of(
            FROM_MEMORY, 1'b0, 1'b1, 1'b0, 1'b1, 1'b1, here[31:0], chunk_addr(c_q, j_q)
        );
        back_q <= READ_SENT;
        state_q <= MOVE;
        if (error_c_q[c_q] != '0) begin
          j_q <= '0;
          state_q <= GATHER;
        end else frames_c_q[c_q] <= frames_c_q[c_q] + 1'b1;
      end
      READ_SENT: begin
        rsp_q <= answer(END_OK, '0, '0);
        verify_c_q[c_q] <= 1'b1;  // a chunk on a device that works is bad
        j_q <= '0;
        state_q <= moved_q.bad || moved_q.differs ? GATHER : REPLY;
      end

      // ---- all chunks that can be read, and those made from them ----------------------------
      GATHER: begin
        if (j_q == '0) begin
          asked_c_q[c_q] <= '0;
          error_c_q[c_q] <= '0;
          if (kind_c_q[c_q] == K_READ) kind_c_q[c_q] <= K_GATHER;
        end
        state_q <= GATHER_EACH;
      end
      GATHER_EACH: begin
        unit_q <= here[63:56];
        io_q   <= io_of(IO_READ, here[55:32]);
        back_q <= GATHER_EACH;
        if (j_q == cfg_width) state_q <= IDLE;
        else if (has(readable, here[63:56])) begin
          asked_c_q[c_q] <= asked_c_q[c_q] | bit_j;
          state_q <= IO;
        end else j_q <= j_q + 1'b1;
      end
      VERIFY: begin
        move_q <= move_of(
            FROM_MEMORY, 1'b0, 1'b0, 1'b0, 1'b1, 1'b1, here[31:0], chunk_addr(c_q, j_q)
        );
        back_q <= VERIFIED;
        if (j_q == cfg_width) state_q <= JUDGE;
        else if ((asked_c_q[c_q] & ~error_c_q[c_q] & bit_j) != '0) state_q <= MOVE;
        else j_q <= j_q + 1'b1;
      end
      VERIFIED: begin
        if (!moved_q.bad && !moved_q.differs) good_q <= good_q | bit_j;
        j_q <= j_q + 1'b1;
        state_q <= VERIFY;
      end
      JUDGE: begin
        stripe_q <= '{
            want: {
              lost_more
              != '0 && (
              kind_c_q[c_q] == K_SCAN || lowest(lost_more) == position_c_q[c_q]
              ),
              kind_c_q[c_q] == K_SCAN || lowest(lost) == position_c_q[c_q]
            },
            two: lost_more != '0,
            lost1: lowest(lost_more),
            lost0: lowest(lost),
            p: cfg_p,
            k: cfg_k
        };
        left_q <= kind_c_q[c_q] == K_SCAN ? lost : WIDTH'(1) << position_c_q[c_q];
        rsp_q <= answer(END_LOST, '0, '0);
        back_q <= COEF;
        j_q <= cfg_k == 5'd1 ? lowest(good_q) : position_c_q[c_q];
        members_q <= '0;
        members_count_q <= '0;
        spoilt_q <= 1'b0;
        if (ones(good_q) < 6'(cfg_k)) state_q <= REPLY;
        else if (kind_c_q[c_q] == K_SCAN) begin
          if (lost == '0) begin
            j_q <= '0;
            left_q <= '0;
            state_q <= HEAL_WALK;
          end else state_q <= ASK;
        end else if (cfg_k == 5'd1 || good_q[POSITION_W'(position_c_q[c_q])]) state_q <= GIVE;
        else state_q <= ASK;
      end
      GIVE: begin
        move_q <= move_of(
            FROM_MEMORY, 1'b0, 1'b1, 1'b0, 1'b1, 1'b1, here[31:0], chunk_addr(c_q, j_q)
        );
        frames_c_q[c_q] <= frames_c_q[c_q] + 1'b1;
        back_q <= GIVEN;
        state_q <= MOVE;
      end
      MEND: begin
        move_q <= move_of(
            FROM_MEMORY, 1'b0, 1'b0, 1'b1, 1'b1, 1'b0, '0, chunk_addr(c_q, coef_q.position)
        );
        back_q <= MEND_MOVED;
        state_q <= coef_q.bad ? REPLY : MOVE;
      end
      MEND_MOVED: begin
        bad_q <= bad_q || moved_q.bad;
        j_q <= lowest(left_q);
        state_q <= coef_q.last ? MADE : COEF;
      end
      // What was made from good chunks is right by arithmetic; its checksum proves the record, too.
      MADE: begin
        left_q[POSITION_W'(j_q)] <= 1'b0;
        move_q <= move_of(
            FROM_PARITY,
            kind_c_q[c_q] == K_SCAN,
            kind_c_q[c_q] != K_SCAN,
            1'b0,
            1'b1,
            1'b1,
            here[31:0],
            chunk_addr(
                c_q, j_q)
        );
        if (kind_c_q[c_q] != K_SCAN) frames_c_q[c_q] <= frames_c_q[c_q] + 1'b1;
        back_q  <= kind_c_q[c_q] == K_SCAN ? MADE_NEXT : GIVEN;
        state_q <= MOVE;
      end
      MADE_NEXT: begin
        bad_q <= bad_q || moved_q.bad || moved_q.differs;
        j_q   <= lowest(left_q);
        if (left_q != '0) state_q <= MADE;
        else begin
          rsp_q <= answer(END_LOST, '0, '0);
          j_q <= '0;
          state_q <= bad_q || moved_q.bad || moved_q.differs ? REPLY : HEAL_WALK;
        end
      end
      GIVEN: begin
        rsp_q <= answer(
            bad_q || moved_q.bad || moved_q.differs ? END_LOST : END_OK,
            {
              30'd0, verify_c_q[c_q], 1'b1
            },
            '0
        );
        state_q <= REPLY;
      end

      // ---- a stripe is made whole -----------------------------------------------------------
      HEAL: begin
        mapped_q <= old_mapped;
        left_q <= '0;
        rsp_q <= answer(END_OK, '0, '0);
        if (entry[0] == '0) state_q <= REPLY;
        else if (old_mapped) state_q <= HEAL_COPY;
        else state_q <= !verify_c_q[c_q] && few_holders ? OLD : REPLY;
      end
      HEAL_COPY: begin
        left_q[POSITION_W'(j_q)] <= !has(usable, old_place[63:56]);
        j_q <= last_j ? '0 : j_q + 1'b1;
        if (last_j) begin
          state_q <= verify_c_q[c_q] || few_holders || left_q != '0 ||
              !has(usable, old_place[63:56]) ? GATHER : REPLY;
        end
      end
      // Other stripes had their turn since: which chunks move is seen now. left_q is zero before.
      HEAL_WALK: begin
        left_q[POSITION_W'(j_q)] <= !has(
            usable, here[63:56]
        ) || (verify_c_q[c_q] && !good_q[POSITION_W'(j_q)]);
        if (has(usable, here[63:56])) begin
          members_q[UNIT_W'(here[63:56])] <= 1'b1;
          members_count_q <= members_count_q + 1'b1;
          if (verify_c_q[c_q] && !good_q[POSITION_W'(j_q)]) spoilt_q <= 1'b1;
        end
        j_q <= j_q + 1'b1;
        if (last_j) state_q <= HEAL_JUDGE;
      end
      HEAL_JUDGE: begin
        j_q <= '0;
        bad_q <= 1'b0;
        heal_q <= 1'b1;
        asked_c_q[c_q] <= '0;
        error_c_q[c_q] <= '0;
        rsp_q <= answer(END_OK, '0, '0);
        state_q <= HEAL_PICK;
        if (left_q == '0 && verify_c_q[c_q]) state_q <= REPLY;
        // No device outside the stripe: bad chunks are placed anew with the whole of it.
        else if (left_q != '0 && members_count_q == usable_count) begin
          heal_q <= 1'b0;
          kind_c_q[c_q] <= K_WRITE;
          state_q <= spoilt_q ? PLACE : REPLY;
        end
      end
      HEAL_PICK: begin
        if (left_q == '0) begin
          j_q <= '0;
          kind_c_q[c_q] <= K_HEAL;
          state_q <= SEND;
        end else if (m_place.valid && m_place.ready) state_q <= HEAL_GOT;
      end
      HEAL_GOT:
      if (s_pick.valid) begin
        pick_q <= pick;
        j_q <= lowest(left_q);
        slot_q <= '{op: SL_CLAIM, device: pick.device, slot: '0};
        slot_back_q <= HEAL_SLOT;
        state_q <= SLOT;
        if (pick.outcome != PICKED) begin
          left_q  <= asked_c_q[c_q];
          one_q   <= 1'b1;
          state_q <= WROTE_BACK;
        end
      end
      HEAL_SLOT: begin
        asked_c_q[c_q] <= asked_c_q[c_q] | bit_j;
        left_q[POSITION_W'(j_q)] <= 1'b0;
        members_q[UNIT_W'(pick_q.device)] <= 1'b1;
        state_q <= HEAL_PICK;
      end
      HEAL_BACK: begin
        heal_q   <= 1'b1;
        mapped_q <= 1'b1;
        keep_q   <= asked_c_q[c_q] & error_c_q[c_q];
        left_q   <= asked_c_q[c_q] & error_c_q[c_q];
        state_q  <= WROTE_BACK;
      end

      // ---- commits --------------------------------------------------------------------------
      COMMIT: begin
        one_q <= 1'b1;
        if (commit_done) begin
          item_q  <= '0;
          state_q <= REPLY;
          if (commit_lost) rsp_q <= answer(END_FAILED, '0, '0);
          else if (commit_any_full) rsp_q <= answer(END_LOG, '0, {list_q, 32'd0});
          else begin
            // The state of the devices has to be told first if one of them failed.
            rsp_q <= answer(END_OK, '0, {list_q, 32'd0});
            if (failures == before_q && !cmd_q.arg[0]) state_q <= RELEASE;
          end
        end
      end
      RELEASE: begin
        addr_q <= list_item;
        n_q <= cfg_width + 5'd4;
        i_q <= '0;
        one_q <= 1'b0;
        bad_q <= 1'b0;
        back_q <= RELEASE_NEXT;
        state_q <= item_q == list_q ? FORGET : LOAD;
      end
      RELEASE_NEXT: begin
        item_q  <= item_q + 1'b1;
        left_q  <= entry[free_at][WIDTH-1:0];
        state_q <= old_mapped ? RELEASE_EACH : RELEASE;
      end
      RELEASE_EACH: begin
        j_q <= lowest(left_q);
        event_q <= '{op: PL_VACATE, device: '0, value: '0};
        back_q <= RELEASE;
        state_q <= left_q != '0 ? RELEASE_ONE : EVENT;
      end
      RELEASE_ONE: begin
        left_q[POSITION_W'(j_q)] <= 1'b0;
        slot_q <= '{op: SL_RELEASE, device: old_place[63:56], slot: 25'(old_place[55:32])};
        event_q <= '{op: PL_RELEASE, device: old_place[63:56], value: '0};
        slot_back_q <= EVENT;
        back_q <= RELEASE_EACH;
        state_q <= old_place[63:56] == ABSENT ? RELEASE_EACH : SLOT;
      end
      FORGET: begin
        one_q <= 1'b1;
        if (one_q && pend_idle) begin
          list_q  <= '0;
          pend_q  <= '0;
          rsp_q   <= answer(END_OK, '0, 64'd1);
          state_q <= REPLY;
        end
      end

      // ---- requests of the host to one port -------------------------------------------------
      RAW: begin
        unit_q <= cmd_q.unit;
        io_q <= '{
            position: '0,
            context_: '0,
            op: cmd_q.op == DO_RAW_READ ? IO_READ : cmd_q.op == DO_RAW_WRITE ? IO_WRITE : IO_FLUSH,
            sectors: cmd_q.count[16:0],
            lba: cmd_q.arg[47:0],
            addr: cfg_stage
        };
        back_q <= RAW_WAIT;
        rsp_q <= answer(END_SOURCE, '0, '0);
        state_q <= cmd_q.op == DO_RAW_WRITE && moved_q.bad ? REPLY : IO;
      end
      RAW_WAIT:
      if (wait_c_q[c_q] == '0) begin
        rsp_q <= answer(reason_q == '0 ? END_OK : END_FAILED, 32'(reason_q), '0);
        move_q <= '{
            from : FROM_MEMORY,
            to_host: 1'b1,
            last: 1'b1,
            addr: cfg_stage,
            bytes: {cmd_q.count[16:0], 9'd0},
            default: '0
        };
        back_q <= RAW_MOVED;
        if (reason_q == '0 && cmd_q.op == DO_RAW_READ) begin
          frames_c_q[c_q] <= 2'd1;
          state_q <= MOVE;
        end else state_q <= REPLY;
      end
      RAW_MOVED: begin
        rsp_q <= answer(
            !moved_q.bad ? END_OK : cmd_q.op == DO_MEM_WRITE ? END_SOURCE : END_MEMORY, '0, '0
        );
        state_q <= REPLY;
      end
      MEASURE: begin
        cycles_q <= cycles_q + 1'b1;
        j_q <= '0;
        unit_q <= cmd_q.unit;
        io_q <= '{
            position: '0,
            context_: 4'(idle_c),
            op: cmd_q.arg[63] ? IO_WRITE : IO_READ,
            sectors: cmd_q.index[16:0],
            lba: lba_q,
            addr: chunk_addr(idle_c, '0)
        };
        back_q <= MEASURE;
        rsp_q <= answer(reason_q == '0 ? END_OK : END_FAILED, 32'(reason_q), cycles_q);
        if (count_q != '0 && idle_any) begin
          c_q <= idle_c;
          count_q <= count_q - 1'b1;
          lba_q <= lba_q + 48'(cmd_q.index[16:0]);
          state_q <= IO;
        end else if (count_q == '0 && waits == '0) begin
          c_q <= '0;
          rsp_q.tag <= cmd_q.tag;
          rsp_q.frames <= '0;
          state_q <= REPLY;
        end
      end

      // ---- settings and state -----------------------------------------------------------------
      TELL: begin
        rsp_q   <= answer(END_OK, '0, cmd_q.unit[0] ? told[127:64] : told[63:0]);
        state_q <= REPLY;
      end
      default: begin  // SET
        rsp_q   <= answer(set_bad ? END_BAD : END_OK, '0, {39'd0, got_q.ok, got_q.slot});
        state_q <= REPLY;
        event_q <= place_event_t'(cmd_q.arg[43:0]);
        slot_q  <= slot_req_t'(cmd_q.arg[35:0]);
        back_q  <= REPLY;
        if (!set_bad)
          case (cmd_q.unit[4:0])
            SET_SHAPE: begin
              cfg_k <= cmd_q.arg[4:0];
              cfg_p <= cmd_q.arg[9:8];
              cfg_width <= cmd_q.arg[4:0] + 5'(cmd_q.arg[9:8]);
              cfg_holders <= cmd_q.arg[17:16];
              cfg_chunk <= cmd_q.arg[28:24];
              cfg_log_room <= cmd_q.arg[36:32];
              cfg_stride <= cmd_q.arg[44:40];
            end
            SET_STRIPES: begin
              cfg_stripes  <= cmd_q.index;
              cfg_physical <= cmd_q.arg[31:0];
            end
            SET_MEMORY: {cfg_list, cfg_map} <= cmd_q.arg;
            SET_BUFFERS: {cfg_log, cfg_stage} <= cmd_q.arg;
            SET_LIMIT: cfg_limit <= cmd_q.index;
            SET_NUMBER: seq_q <= cmd_q.arg;
            SET_PLACER: state_q <= EVENT;
            SET_SLOT: begin
              // The answer is made a second time, with what the unit said.
              slot_back_q <= SET;
              one_q <= 1'b1;
              if (!one_q) state_q <= SLOT;
            end
            SET_DYNAMIC: begin
              cfg_depth <= cmd_q.index[7:0];
              cfg_unit  <= cmd_q.arg[47:0];
            end
            SET_ERRORS: cfg_errors <= cmd_q.index;
            default: ;
          endcase
      end
    endcase

    // ---- ends of requests -------------------------------------------------------------------
    if (end_valid) begin
      kick_q <= 1'b1;
      wait_c_q[CONTEXT_W'(end_what.context_)][POSITION_W'(end_what.position)] <= 1'b0;
      if (end_what.reason != '0) begin
        error_c_q[CONTEXT_W'(end_what.context_)][POSITION_W'(end_what.position)] <= 1'b1;
        if (raw_q) reason_q <= end_what.reason;
      end
    end
    if (state_q == DECODE) reason_q <= '0;
    if (rst) begin
      state_q <= IDLE;
      kick_q <= 1'b0;
      place_ok_q <= 1'b0;
      raw_q <= 1'b0;
      list_q <= '0;
      pend_q <= '0;
      seq_q <= '0;
      cfg_stripes <= '0;
      cfg_k <= 5'd1;
      cfg_p <= '0;
      cfg_width <= 5'd1;
      cfg_chunk <= 5'd12;
      cfg_stage <= '0;
      for (int i = 0; i < CONTEXTS; i++) begin
        state_c_q[i] <= FREE;
        wait_c_q[i]  <= '0;
      end
    end
  end

  logic unused;
  assign unused = ^{cmd_q.zero, coef_q, pick_q, ask, event_taken};
endmodule
