// SPDX-License-Identifier: Apache-2.0
//
// Routes the notifications of one TCP engine to the application that owns the session.
//
// s_eng_notify: tcp_notify_t of the engine; m_notify: those of the applications, one register for
//   all, so one that does not accept its notification blocks those behind it. Latency 2 cycles, one
//   notification per cycle.
// act_*: a connection of an application was opened (kumi_tcp_app_mux_ports); a notification waits
//   that cycle.
// look_*: owner of the port of a passively opened session.
// m_orphan: sessions on a port without owner, to be aborted. Their notifications are dropped, as
//   are those of sessions that nobody opened; ev_orphan pulses for each session.
module kumi_tcp_app_mux_notify
  import kumi_tcp_pkg::*;
#(
    parameter int CLIENTS  = 2,
    parameter int SESSIONS = 64
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic                       act_valid,
    input  logic           [SID_W-1:0] act_sid,
    input  logic           [      2:0] act_client,
    output logic           [     15:0] look_port,
    input  logic                       look_hit,
    input  logic           [      2:0] look_client,
           kumi_rec_if.snk             s_eng_notify,
           kumi_rec_if.src             m_notify    [CLIENTS],
           kumi_rec_if.src             m_orphan,
    output logic                       ev_orphan,
    output logic                       busy
);
  localparam int ADDR_W = $clog2(SESSIONS);

  // Owner of each session; bit 3: valid.
  (* ram_style = "block", no_rw_check *) logic [3:0] owner_mem[SESSIONS];

  tcp_notify_t note;
  logic take, moved, clearing_q;
  logic [ADDR_W-1:0] clear_q, write_addr;
  logic [3:0] write_owner;
  logic write;

  assign note = tcp_notify_t'(s_eng_notify.data);
  assign look_port = note.tuple.local_port;

  // ---- first register: notification and owner lookup ------------------------------------------
  logic a_valid_q, opened_q;
  logic [3:0] looked_q, owner_q;
  logic [NOTIFY_W-1:0] a_note_q;
  logic [SID_W-1:0] a_sid_q;

  assign s_eng_notify.ready = (!a_valid_q || moved) && !act_valid && !clearing_q;
  assign take = s_eng_notify.valid && s_eng_notify.ready;

  always_comb begin
    write = take && note.opened;
    write_addr = note.sid[ADDR_W-1:0];
    write_owner = {look_hit, look_client};
    if (act_valid) begin
      write = 1'b1;
      write_addr = act_sid[ADDR_W-1:0];
      write_owner = {1'b1, act_client};
    end
    if (clearing_q) begin
      write = 1'b1;
      write_addr = clear_q;
      write_owner = '0;
    end
  end

  always_ff @(posedge clk) begin
    if (write) owner_mem[write_addr] <= write_owner;
    if (take) owner_q <= owner_mem[note.sid[ADDR_W-1:0]];
  end

  always_ff @(posedge clk) begin
    if (moved) a_valid_q <= 1'b0;
    if (take) begin
      a_valid_q <= 1'b1;
      a_note_q  <= s_eng_notify.data;
      a_sid_q   <= note.sid;
      opened_q  <= note.opened;
      looked_q  <= {look_hit, look_client};
    end
    if (clearing_q) clear_q <= clear_q + 1'b1;
    if (&clear_q) clearing_q <= 1'b0;
    if (rst) begin
      a_valid_q  <= 1'b0;
      clear_q    <= '0;
      clearing_q <= 1'b1;
    end
  end

  // ---- second register: to its owner ----------------------------------------------------------
  logic [3:0] owner;
  logic [CLIENTS-1:0] dest_q, ready;
  logic [NOTIFY_W-1:0] note_q;
  logic orphan, out_free;

  assign owner = opened_q ? looked_q : owner_q;
  assign orphan = a_valid_q && opened_q && !owner[3];
  assign out_free = (dest_q & ~ready) == '0;
  assign moved = a_valid_q && out_free && (!orphan || !m_orphan.valid || m_orphan.ready);

  always_ff @(posedge clk) begin
    if (out_free) begin
      dest_q <= '0;
      if (moved && owner[3]) dest_q <= CLIENTS'(1) << owner[2:0];
      note_q <= a_note_q;
    end
    if (m_orphan.ready) m_orphan.valid <= 1'b0;
    if (moved && orphan) begin
      m_orphan.valid <= 1'b1;
      m_orphan.data  <= {a_sid_q, 1'b1};
    end
    ev_orphan <= moved && orphan;
    if (rst) begin
      dest_q <= '0;
      m_orphan.valid <= 1'b0;
      ev_orphan <= 1'b0;
    end
  end

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_out
    assign m_notify[i].valid = dest_q[i];
    assign m_notify[i].data = note_q;
    assign ready[i] = m_notify[i].ready;
  end

  assign busy = clearing_q || a_valid_q || dest_q != '0 || m_orphan.valid;

  logic unused;
  assign unused = ^{note, act_sid};
endmodule
