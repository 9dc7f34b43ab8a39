// SPDX-License-Identifier: Apache-2.0
//
// Executes the commands of SW2 windows (source paper, table 1), one after the other: BOTF sends the
// window's data, RDMA write reads local memory and sends as many packets as it takes.
//
// w_*: writes of window memory; kick_*: a window to execute, not one that is busy. busy[w]: from
//   the kick until its last packet has been taken. window_enabled[w]: of the table.
// m_axi: reads of single beats, one id, answered in order. m_axis: packets, tdest the channel.
// Bad input: a command with another operation, a BOTF of less than 8 or more than 472 bytes, a
//   length of 0, an offset or a local place inside a word, or local memory beyond the window's
//   limit is not executed, ev_refused; a packet whose data was answered with an error is dropped,
//   ev_read_error.
// Latency: kick to the head of a packet 8 cycles; a packet leaves when it is whole.
module kumi_sw2_window
  import kumi_sw2_pkg::*;
#(
    parameter  int WINDOWS = 16,              // 2 to 128
    localparam int WIN_W   = $clog2(WINDOWS)
) (
    input logic clk,
    input logic rst,
    input table_write_t write,
    input logic [15:0] node,

    input logic w_we,
    input logic [WIN_W+5:0] w_addr,
    input logic [63:0] w_data,
    input logic kick_valid,
    input logic [WIN_W-1:0] kick_window,
    output logic [WINDOWS-1:0] busy,
    output logic [WINDOWS-1:0] window_enabled,

    kumi_axi_if.mst_rd m_axi,
    kumi_axis_if.src m_axis,
    output logic ev_refused,
    output logic ev_read_error
);
  // ---- tables and memory -----------------------------------------------------------------------
  logic table_we;
  window_t entry;
  logic [63:0] word;
  logic [5:0] at;
  logic [WIN_W-1:0] window;
  logic window_valid, done;

  assign table_we = write.valid && write.sel == TABLE_WINDOW && 32'(write.index) < WINDOWS;

  kumi_ram_sdp #(
      .W($bits(window_t)),
      .DEPTH(WINDOWS)
  ) u_table (
      .clk,
      .wr_en  (table_we),
      .wr_addr(write.index[WIN_W-1:0]),
      .wr_data(write.entry[$bits(window_t)-1:0]),
      .rd_en  (1'b1),
      .rd_addr(window),
      .rd_data(entry)
  );
  kumi_ram_sdp #(
      .W(64),
      .DEPTH(WINDOWS * 64)
  ) u_words (
      .clk,
      .wr_en  (w_we),
      .wr_addr(w_addr),
      .wr_data(w_data),
      .rd_en  (1'b1),
      .rd_addr({window, at}),
      .rd_data(word)
  );
  always_ff @(posedge clk) begin
    if (table_we) window_enabled[write.index[WIN_W-1:0]] <= write.entry[$bits(window_t)-1];
    if (done) busy[window] <= 1'b0;
    if (kick_valid) busy[kick_window] <= 1'b1;
    if (rst) begin
      window_enabled <= '0;
      busy <= '0;
    end
  end

  // A window is in here once at most.
  logic [$clog2(2**WIN_W):0] unused_depth;
  logic unused_room;
  kumi_fifo #(
      .W(WIN_W),
      .DEPTH(2 ** WIN_W)
  ) u_kicks (
      .clk,
      .rst,
      .s_data (kick_window),
      .s_valid(kick_valid),
      .s_ready(unused_room),
      .m_data (window),
      .m_valid(window_valid),
      .m_ready(done),
      .depth  (unused_depth)
  );

  // ---- commands --------------------------------------------------------------------------------
  typedef enum logic [3:0] {
    IDLE,
    READ0,  // word 0 is being read
    READ1,
    READ2,
    CHECK,
    CUT,    // size of the next packet
    HEAD,
    PLACE,
    DATA
  } state_e;

  state_e state_q;
  sw2_head_t cmd_q, head;
  sw2_place_t place;
  logic [31:0] offset_q, local_q, local_end_q;
  logic [15:0] left_q, size_q;  // bytes of the command, of the packet
  logic [6:0] beats_q;  // of data still to be sent
  logic rdma, cmd_good, taken, last_beat, bad_q, read_bad, local_carry_q;
  logic [5:0] word_q;  // in the window

  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) made ();
  kumi_rec_if #(.W(1)) len ();

  assign rdma = sw2_op_e'(cmd_q.op) == OP_RDMA;
  assign cmd_good = entry.enable && offset_q[2:0] == '0 && (rdma ?
      left_q != '0 && local_q[2:0] == '0 && local_end_q <= entry.limit && !local_carry_q :
      sw2_op_e'(cmd_q.op) == OP_BOTF && left_q >= 16'd8 && len_good(
      left_q
  ));
  assign taken = made.tvalid && made.tready;
  assign last_beat = beats_q == 7'd1;

  always_comb begin
    at = 6'd0;
    unique case (state_q)
      IDLE:    at = 6'd0;
      READ0:   at = 6'd1;
      default: at = 6'd2;
      DATA:    at = word_q + 6'(taken);
    endcase
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      IDLE:  if (window_valid) state_q <= READ0;
      READ0: begin
        cmd_q   <= word;
        left_q  <= word[55:40];
        state_q <= READ1;
      end
      READ1: begin
        offset_q <= word[31:0];
        state_q  <= READ2;
      end
      READ2: begin
        local_q <= word[31:0];
        {local_carry_q, local_end_q} <= {1'b0, word[31:0]} + 33'(left_q);
        state_q <= CHECK;
      end
      CHECK: state_q <= cmd_good ? CUT : IDLE;
      CUT: begin
        size_q  <= left_q > 16'(MAX_DATA) ? 16'(MAX_DATA) : left_q;
        state_q <= HEAD;
      end
      HEAD: begin
        beats_q <= beats_of(size_q) - 7'd2;
        if (taken) state_q <= PLACE;
      end
      PLACE: begin
        word_q <= 6'd2;
        bad_q  <= 1'b0;
        if (taken) begin
          state_q <= DATA;
          left_q  <= left_q - size_q;
        end
      end
      default:
      if (taken) begin
        beats_q <= beats_q - 1'b1;
        word_q  <= word_q + 1'b1;
        bad_q   <= bad_q || read_bad;
        if (last_beat) begin
          offset_q <= offset_q + 32'(MAX_DATA);
          state_q  <= left_q == '0 ? IDLE : CUT;
        end
      end
    endcase
    if (rst) state_q <= IDLE;
  end
  assign done = (state_q == CHECK && !cmd_good) ||
      (taken && state_q == DATA && last_beat && left_q == '0);
  always_ff @(posedge clk) ev_refused <= state_q == CHECK && !cmd_good && !rst;

  // ---- local memory: the addresses of a packet from its head on, a beat each -------------------
  logic [31:0] read_addr_q;
  logic [ 6:0] reads_q;

  assign read_bad = rdma && m_axi.rresp != 2'b00;
  assign m_axi.arvalid = reads_q != '0;
  assign m_axi.araddr = (m_axi.ADDR_W)'(read_addr_q);
  assign m_axi.arid = '0;
  assign m_axi.arlen = '0;
  assign m_axi.arsize = 3'd3;
  assign m_axi.arburst = 2'b01;
  assign m_axi.rready = state_q == DATA && rdma && made.tready;
  always_ff @(posedge clk) begin
    if (state_q == CHECK) read_addr_q <= entry.base + local_q;
    else if (m_axi.arvalid && m_axi.arready) read_addr_q <= read_addr_q + 32'd8;
    if (state_q == HEAD && taken && rdma) reads_q <= beats_of(size_q) - 7'd2;
    else if (m_axi.arvalid && m_axi.arready) reads_q <= reads_q - 1'b1;
    if (rst) reads_q <= '0;
  end

  // ---- packets ---------------------------------------------------------------------------------
  assign head = '{
          op: cmd_q.op,
          len: size_q,
          region: cmd_q.region,
          src: node,
          dst: cmd_q.dst,
          default: '0
      };
  assign place = '{pgid: entry.pgid, offset: offset_q, default: '0};
  assign made.tvalid = state_q == HEAD || state_q == PLACE || (state_q == DATA && (!rdma ||
      m_axi.rvalid));
  assign made.tdata = state_q == HEAD ? head : state_q == PLACE ? place : rdma ? m_axi.rdata : word;
  assign made.tkeep = '1;
  assign made.tlast = state_q == DATA && last_beat;
  assign made.tuser = made.tlast && (bad_q || read_bad);
  assign made.tid = '0;
  assign made.tdest = entry.vc;
  assign len.ready = 1'b1;

  logic unused_good, unused_full, unused_big;
  logic [6:0] unused_fill;
  kumi_axis_frame_fifo #(
      .DEPTH(64),
      .DROP_FULL(1'b0)
  ) u_whole (
      .clk,
      .rst,
      .s_axis(made),
      .m_axis,
      .m_len(len),
      .depth(unused_fill),
      .ev_good(unused_good),
      .ev_bad(ev_read_error),
      .ev_full(unused_full),
      .ev_oversize(unused_big)
  );

  logic unused;
  assign unused = ^{unused_good, unused_full, unused_big, unused_fill, unused_depth, unused_room,
                    m_axi.rid, m_axi.rlast, write.entry, cmd_q};
endmodule
