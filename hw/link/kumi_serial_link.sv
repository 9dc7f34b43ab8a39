// SPDX-License-Identifier: Apache-2.0
//
// Serial link of 1 to 4 lanes, all layers: lanes and framing as in Aurora 64B/66B
// (kumi_link_aurora), and on top, if both ends support it, link-level retry (kumi_link_llr).
//
// m_lane_*, s_lane_*: scrambled 66-bit blocks, one per cycle and lane, see kumi_link_lanes.
// s_axis, m_axis: frames, DATA_W = 64 * LANES; tuser[0] with tlast marks a bad frame in both
//   directions. With LLR frames arrive complete, once and in order, whatever the line does, as long
//   as neither end is reset; s_axis stalls while the line is down or the receiver is full. Without
//   LLR (RETRY = 0, cfg.retry.enable = 0, or a partner without it): a frame that is hit by an
//   error, or by the line going down, ends with tuser[0] or is lost; m_axis may stall, native flow
//   control then stops the other side (RX_BEATS of buffer; with 0 of them m_axis must not stall).
// Latency: see docs/blocks/link.md. Bad input on the line: counted in ev, see the layers.
module kumi_serial_link
  import kumi_link_pkg::*;
#(
    parameter int LANES     = 1,     // 1..4
    parameter bit RETRY     = 1,     // 0: without LLR
    parameter int RX_BEATS  = 1024,  // beats of the plain receive buffer, a power of two; 0: none
    parameter int CC_PERIOD = 4992,  // see kumi_link_lanes
    parameter int CC_BLOCKS = 7,
    parameter int SLIP_WAIT = 32,
    parameter int TRAIN     = 4096,
    parameter int REJOIN    = 4096
) (
    input logic clk,
    input logic rst,

    output logic [LANES-1:0][63:0] m_lane_data,
    output logic [LANES-1:0][ 1:0] m_lane_head,
    input  logic [LANES-1:0][63:0] s_lane_data,
    input  logic [LANES-1:0][ 1:0] s_lane_head,
    output logic [LANES-1:0]       s_lane_slip,

    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,

    input  serial_cfg_t    cfg,
    output serial_status_t status,
    output serial_events_t ev
);
  kumi_link_if #(.LANES(LANES)) user_tx ();
  kumi_link_if #(.LANES(LANES)) user_rx ();
  kumi_link_if #(.LANES(LANES)) line_tx ();
  kumi_link_if #(.LANES(LANES)) line_rx ();
  kumi_link_if #(.LANES(LANES)) plain_in ();
  kumi_link_if #(.LANES(LANES)) plain_out ();

  kumi_link_if #(.LANES(LANES)) whole_tx ();

  logic plain;  // frames pass without LLR
  logic drop;  // the frame that the user has started is lost
  logic retrain;
  logic k_tx_valid, k_tx_ready, k_rx_valid;
  logic [3:0] k_tx_number, k_rx_number;
  logic [55:0] k_tx_data, k_rx_data;
  logic nfc_tx_valid, nfc_tx_ready, nfc_rx_valid;
  logic [55:0] nfc_tx_data, nfc_rx_data;
  logic pause;

  kumi_link_from_axis #(
      .LANES(LANES)
  ) u_from_axis (
      .s_axis,
      .m(user_tx)
  );

  kumi_link_frame_drop u_frame_drop (
      .clk,
      .rst,
      .drop,
      .s(user_tx),
      .m(whole_tx)
  );

  kumi_link_to_axis #(
      .LANES(LANES)
  ) u_to_axis (
      .s(user_rx),
      .m_axis
  );

  kumi_link_aurora #(
      .LANES(LANES),
      .CC_PERIOD(CC_PERIOD),
      .CC_BLOCKS(CC_BLOCKS),
      .SLIP_WAIT(SLIP_WAIT),
      .TRAIN(TRAIN),
      .REJOIN(REJOIN)
  ) u_link (
      .clk,
      .rst,
      .m_lane_data,
      .m_lane_head,
      .s_lane_data,
      .s_lane_head,
      .s_lane_slip,
      .s(line_tx),
      .m(line_rx),
      .k_tx_valid,
      .k_tx_ready,
      .k_tx_number,
      .k_tx_data,
      .k_rx_valid,
      .k_rx_number,
      .k_rx_data,
      .nfc_tx_valid,
      .nfc_tx_ready,
      .nfc_tx_data,
      .nfc_rx_valid,
      .nfc_rx_data,
      .pause,
      .retrain,
      .cfg(cfg.lanes),
      .status(status.lanes),
      .ev(ev.lanes),
      .ev_broken(ev.frame.broken),
      .ev_stray(ev.frame.stray)
  );
  assign line_rx.ready = 1'b1;

  // ---- Without retransmission -------------------------------------------------------------------
  logic inside_q;  // a frame has begun; its end may come just after `plain` has gone

  assign plain_in.data  = line_rx.data;
  assign plain_in.count = line_rx.count;
  assign plain_in.last  = line_rx.last;
  assign plain_in.pad   = line_rx.pad;
  assign plain_in.bad   = line_rx.bad;
  assign plain_in.valid = line_rx.valid && (plain || inside_q);

  always_ff @(posedge clk) begin
    if (plain_in.valid) inside_q <= !plain_in.last;
    if (rst) inside_q <= 1'b0;
  end

  localparam int DEPTH = RX_BEATS == 0 ? 16 : RX_BEATS;
  logic [$clog2(DEPTH):0] depth;

  if (RX_BEATS == 0) begin : gen_bare
    assign plain_out.data   = plain_in.data;
    assign plain_out.count  = plain_in.count;
    assign plain_out.last   = plain_in.last;
    assign plain_out.pad    = plain_in.pad;
    assign plain_out.bad    = plain_in.bad;
    assign plain_out.valid  = plain_in.valid;
    assign plain_in.ready   = plain_out.ready;
    assign depth            = '0;
    assign ev.frame.overrun = plain_in.valid && !plain_in.ready;
  end else begin : gen_buffer
    kumi_link_rx_fifo #(
        .LANES(LANES),
        .DEPTH(DEPTH)
    ) u_plain (
        .clk,
        .rst,
        .s(plain_in),
        .m(plain_out),
        .depth,
        .overrun(ev.frame.overrun)
    );
  end

  kumi_link_nfc #(
      .DEPTH(DEPTH),
      .HIGH (DEPTH / 4),
      .LOW  (DEPTH / 8)
  ) u_nfc (
      .clk,
      .rst,
      .up(status.lanes.up),
      .full(depth),
      .tx_valid(nfc_tx_valid),
      .tx_ready(nfc_tx_ready),
      .tx_data(nfc_tx_data),
      .rx_valid(nfc_rx_valid),
      .rx_data(nfc_rx_data),
      .pause,
      .ev_xoff_sent(ev.frame.xoff_sent),
      .ev_xoff_seen(ev.frame.xoff_seen)
  );

  // ---- With it ----------------------------------------------------------------------------------
  if (RETRY) begin : gen_retry
    logic restart, old;

    assign drop = plain ? !status.lanes.up : !status.retry.retry || restart;

    kumi_link_if #(.LANES(LANES)) chunk_tx ();
    kumi_link_if #(.LANES(LANES)) retry_tx ();
    kumi_link_if #(.LANES(LANES)) retry_rx ();

    kumi_link_llr #(
        .LANES(LANES)
    ) u_retry (
        .clk,
        .rst,
        .up(status.lanes.up),
        .s_user(retry_tx),
        .m_user(retry_rx),
        .m_line(chunk_tx),
        .s_line(line_rx),
        .k_tx_valid,
        .k_tx_ready,
        .k_tx_number,
        .k_tx_data,
        .k_rx_valid,
        .k_rx_number,
        .k_rx_data,
        .restart,
        .retrain,
        .plain,
        .cfg(cfg.retry),
        .status(status.retry),
        .ev(ev.retry)
    );

    // What is still in the plain buffer goes first; it has its end since the link went down.
    assign old             = plain || plain_out.valid;

    assign retry_tx.data   = whole_tx.data;
    assign retry_tx.count  = whole_tx.count;
    assign retry_tx.last   = whole_tx.last;
    assign retry_tx.pad    = whole_tx.pad;
    assign retry_tx.bad    = whole_tx.bad;
    assign retry_tx.valid  = whole_tx.valid && !plain;
    assign whole_tx.ready  = plain ? line_tx.ready : retry_tx.ready;
    assign line_tx.data    = plain ? whole_tx.data : chunk_tx.data;
    assign line_tx.count   = plain ? whole_tx.count : chunk_tx.count;
    assign line_tx.last    = plain ? whole_tx.last : chunk_tx.last;
    assign line_tx.pad     = plain ? whole_tx.pad : chunk_tx.pad;
    assign line_tx.bad     = plain ? whole_tx.bad : chunk_tx.bad;
    assign line_tx.valid   = plain ? whole_tx.valid : chunk_tx.valid;
    assign chunk_tx.ready  = line_tx.ready && !plain;
    assign user_rx.data    = old ? plain_out.data : retry_rx.data;
    assign user_rx.count   = old ? plain_out.count : retry_rx.count;
    assign user_rx.last    = old ? plain_out.last : retry_rx.last;
    assign user_rx.pad     = old ? plain_out.pad : retry_rx.pad;
    assign user_rx.bad     = old ? plain_out.bad : retry_rx.bad;
    assign user_rx.valid   = old ? plain_out.valid : retry_rx.valid;
    assign plain_out.ready = old && user_rx.ready;
    assign retry_rx.ready  = !old && user_rx.ready;
  end else begin : gen_plain
    assign plain           = 1'b1;
    assign drop            = !status.lanes.up;
    assign retrain         = 1'b0;
    assign k_tx_valid      = 1'b0;
    assign k_tx_number     = '0;
    assign k_tx_data       = '0;
    assign line_tx.data    = whole_tx.data;
    assign line_tx.count   = whole_tx.count;
    assign line_tx.last    = whole_tx.last;
    assign line_tx.pad     = whole_tx.pad;
    assign line_tx.bad     = whole_tx.bad;
    assign line_tx.valid   = whole_tx.valid;
    assign whole_tx.ready  = line_tx.ready;
    assign user_rx.data    = plain_out.data;
    assign user_rx.count   = plain_out.count;
    assign user_rx.last    = plain_out.last;
    assign user_rx.pad     = plain_out.pad;
    assign user_rx.bad     = plain_out.bad;
    assign user_rx.valid   = plain_out.valid;
    assign plain_out.ready = user_rx.ready;
    assign ev.retry        = '0;
    assign status.retry    = '{open: status.lanes.up, default: '0};

    logic unused;
    assign unused = ^{cfg.retry, k_tx_ready, k_rx_valid, k_rx_number, k_rx_data};
  end
endmodule
