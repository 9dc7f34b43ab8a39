// SPDX-License-Identifier: Apache-2.0
//
// Dispatcher of kumi_array_engine: selects the next context or command, the unit that continues it,
// and sends the response.
//
// Priority: failed devices (reported to the placer), contexts whose I/O has completed, contexts
// waiting for queue space (retried after each completion), then a new command.
// s_cmd, m_rsp: array_cmd_t, array_rsp_t. free_*, ready_*, placing_*, stripe_busy: context states
//   (kumi_array_context_table). take: new_ctx is allocated in free_c. retire: context c is
//   released.
// start: a pulse to one unit, with handoff; leave, handoff_in: the unit has finished. u: the
//   dispatcher's own step request. bad: a memory access of the step failed; the command ends with
//   STATUS_MEM_ERROR.
// failure_*: queue of failed devices. dirty_count: versions not yet committed. frames: frames sent
//   to the host so far.
// raw: I/O names ports instead of devices. committing: a commit is in progress; only READs start.
module kumi_array_dispatch
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    input array_cfg_t cfg,
    input unit_in_t v,
    input logic leave,
    input handoff_t handoff_in,
    input logic done,
    input logic bad,
    input logic free_any,
    input logic free_all,
    input logic [3:0] free_c,
    input logic stripe_busy,
    input logic ready_any,
    input logic [3:0] ready_c,
    input context_kind_e ready_kind,
    input logic placing_any,
    input logic [3:0] placing_c,
    input logic failure_valid,
    input logic [7:0] failure_device,
    output logic failure_take,
    input logic [31:0] dirty_count,
    input logic [15:0] failures,
    input logic [7:0] frames,
    input logic cpl_valid,
    output logic take,
    output context_t new_ctx,
    output logic [31:0] logical,
    output logic retire,
    output logic [3:0] c,
    output array_cmd_t cmd,
    output handoff_t handoff,
    output logic [ENGINE_UNITS-1:0] start,
    output array_step_t step,
    output unit_out_t u,
    output logic raw,
    input logic committing,
    output logic busy
);
  typedef enum logic [2:0] {
    IDLE,
    DECODE,
    LOAD,
    NOTIFY,   // the placer of a failed device
    HANDOFF,
    WAIT,
    RESPOND
  } state_e;
  state_e state_q;
  engine_unit_e unit_q;
  logic retry_place_q, raw_q, is_stripe_cmd, is_raw_cmd;
  logic [7:0] failure_q;
  logic [3:0] c_q;
  handoff_t handoff_q;
  array_cmd_t cmd_in, cmd_q;

  assign cmd_in = s_cmd.data;
  assign logical = cmd_in.index;
  assign c = c_q;
  assign cmd = cmd_q;
  assign handoff = handoff_q;
  assign raw = raw_q;
  assign is_stripe_cmd = cmd_in.op == CMD_WRITE || cmd_in.op == CMD_READ || cmd_in.op == CMD_UNMAP
      || cmd_in.op == CMD_REPAIR;
  assign take = s_cmd.valid && s_cmd.ready;
  assign s_cmd.ready = state_q == IDLE && !ready_any && !failure_valid && !placing_any
      && (is_stripe_cmd ? free_any && !stripe_busy && (cmd_in.op == CMD_READ || !committing)
          : free_all);
  assign failure_take = state_q == IDLE && failure_valid;
  assign busy = state_q != IDLE || !free_all;
  assign is_raw_cmd = cmd_q.op >= CMD_RAW_READ && cmd_q.op <= CMD_SPEED_TEST;
  assign retire = state_q == RESPOND && m_rsp.ready;
  assign m_rsp.valid = state_q == RESPOND;
  assign m_rsp.data = array_rsp_t'{
          failures: failures,
          tag: v.ctx.tag,
          frames: v.ctx.frames,
          zero: '0,
          status: handoff_q.status,
          sent: frames,
          detail: handoff_q.detail,
          value: handoff_q.value
      };

  always_comb begin
    new_ctx = '0;
    new_ctx.state = CTX_BUSY;
    new_ctx.tag = cmd_in.tag;
    new_ctx.logical = cmd_in.index;
    new_ctx.position = cmd_in.unit[4:0];
    new_ctx.verify = cmd_in.arg[0];
    case (cmd_in.op)
      CMD_WRITE: new_ctx.kind = KIND_WRITE;
      CMD_READ: new_ctx.kind = KIND_READ;
      CMD_REPAIR: new_ctx.kind = KIND_VERIFY;
      CMD_COMMIT: new_ctx.kind = KIND_COMMIT;
      default: new_ctx.kind = KIND_RAW;
    endcase
  end

  always_comb begin
    u = '0;
    step = '0;
    if (state_q == LOAD) begin
      step.op = STEP_LOAD;
      step.addr = entry_addr(cfg.map, cfg.stride, v.ctx.logical);
      step.n = 6'(cfg.width) + 6'd3;
    end
    if (state_q == NOTIFY) begin
      step.op = STEP_EVENT;
      step.place_ev = '{op: PL_USABLE, device: failure_q, value: '0};
    end
    start = '0;
    start[unit_q] = state_q == HANDOFF;
  end

  // Unit that continues.
  function automatic engine_unit_e unit_of(input handoff_e to);
    case (to)
      TO_WRITTEN, TO_REPAIRED, TO_UNDO, TO_ABANDON, TO_SUPERSEDE: return U_MAP_UPDATE;
      TO_READ, TO_RETURN: return U_READ;
      TO_RECONSTRUCT, TO_VERIFY: return U_RECONSTRUCT;
      TO_PARITY: return U_PARITY;
      TO_REPAIR, TO_RELOCATE: return U_REPAIR;
      default: return U_WRITE;
    endcase
  endfunction

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        raw_q <= 1'b0;
        if (failure_valid) begin
          failure_q <= failure_device;
          state_q   <= NOTIFY;
        end else if (ready_any) begin
          c_q <= ready_c;
          state_q <= HANDOFF;
          case (ready_kind)
            KIND_WRITE: handoff_q <= handoff_to(TO_WRITTEN);
            KIND_READ: handoff_q <= handoff_to(TO_RETURN);
            KIND_REPAIR: handoff_q <= handoff_to(TO_REPAIRED);
            KIND_COMMIT: handoff_q <= handoff_to(TO_RECLAIM);
            default: handoff_q <= handoff_to(TO_VERIFY);
          endcase
          case (ready_kind)
            KIND_WRITE, KIND_REPAIR: unit_q <= U_MAP_UPDATE;
            KIND_READ: unit_q <= U_READ;
            KIND_COMMIT: unit_q <= U_RECLAIM;
            default: unit_q <= U_RECONSTRUCT;
          endcase
        end else if (placing_any) begin
          c_q <= placing_c;
          handoff_q <= handoff_to(TO_PLACE);
          unit_q <= U_WRITE;
          if (retry_place_q) state_q <= HANDOFF;
          retry_place_q <= 1'b0;
        end else if (take) begin
          cmd_q   <= cmd_in;
          c_q     <= free_c;
          state_q <= DECODE;
        end
      end
      DECODE: begin
        raw_q <= is_raw_cmd;
        handoff_q <= respond(STATUS_INVALID, '0, '0);
        unit_q <= U_WRITE;
        state_q <= RESPOND;
        case (cmd_q.op)
          CMD_WRITE: begin
            handoff_q.to <= TO_WRITE;
            state_q <= HANDOFF;
            if (cmd_q.index >= cfg.stripes) handoff_q.to <= TO_DROP;
            else if (dirty_count >= cfg.limit) begin
              handoff_q.status <= STATUS_NO_SPACE;
              handoff_q.to <= TO_DROP;
            end
          end
          CMD_READ: if (cmd_q.index < cfg.stripes && cmd_q.unit < 8'(cfg.k)) state_q <= LOAD;
          CMD_UNMAP, CMD_REPAIR:
          if (cmd_q.index < cfg.stripes) begin
            if (dirty_count >= cfg.limit) handoff_q.status <= STATUS_NO_SPACE;
            else state_q <= LOAD;
          end
          CMD_COMMIT, CMD_RECLAIM: begin
            handoff_q.to <= cmd_q.op == CMD_COMMIT ? TO_COMMIT : TO_RECLAIM;
            unit_q <= U_RECLAIM;
            state_q <= HANDOFF;
          end
          CMD_SET, CMD_GET_STATE: begin
            unit_q  <= U_CONFIG;
            state_q <= HANDOFF;
          end
          default:
          if (is_raw_cmd) begin
            unit_q  <= U_PASSTHROUGH;
            state_q <= HANDOFF;
          end
        endcase
      end
      LOAD:
      if (done) begin
        state_q <= HANDOFF;
        case (cmd_q.op)
          CMD_READ: begin
            handoff_q <= handoff_to(TO_READ);
            unit_q <= U_READ;
          end
          CMD_REPAIR: begin
            handoff_q <= handoff_to(TO_REPAIR);
            unit_q <= U_REPAIR;
          end
          default: begin  // UNMAP
            handoff_q <= v.is_mapped ? handoff_to(TO_SUPERSEDE) : respond(STATUS_OK, '0, '0);
            unit_q <= U_MAP_UPDATE;
            state_q <= v.is_mapped ? HANDOFF : RESPOND;
          end
        endcase
      end
      NOTIFY:  if (done) state_q <= IDLE;
      HANDOFF: state_q <= WAIT;
      WAIT:
      if (leave) begin
        handoff_q <= handoff_in;
        unit_q <= unit_of(handoff_in.to);
        state_q <= handoff_in.to == TO_IDLE ? IDLE : handoff_in.to == TO_RESPOND ? RESPOND
            : HANDOFF;
      end
      default: if (m_rsp.ready) state_q <= IDLE;  // REPLY
    endcase
    if (bad) begin
      handoff_q <= respond(STATUS_MEM_ERROR, '0, '0);
      state_q   <= RESPOND;
    end
    if (cpl_valid) retry_place_q <= 1'b1;
    if (rst) begin
      state_q <= IDLE;
      retry_place_q <= 1'b0;
      raw_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{cmd_q, v, cmd_in, cfg};
endmodule
