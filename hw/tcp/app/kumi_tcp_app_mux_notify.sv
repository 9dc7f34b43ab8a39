// SPDX-License-Identifier: Apache-2.0
//
// Routes the notifications of one TCP engine to the application that owns the session.
//
// s_eng_notify: tcp_notify_t of the engine; m_notify: those of the applications, a register for
//   each. notify_skip, instead of s_eng_notify.ready: the register of its application is full,
//   offer another one first (kumi_tcp_notify_coalesce). So an application that never accepts its
//   notifications blocks no other. Latency 2 cycles, one notification in 2 cycles.
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
    output logic                       notify_skip,
           kumi_rec_if.src             m_notify    [CLIENTS],
           kumi_rec_if.src             m_orphan,
    output logic                       ev_orphan,
    output logic                       busy
);
  localparam int ADDR_W = $clog2(SESSIONS);

  // Owner of each session; bit 3: valid.
  (* ram_style = "block", no_rw_check *) logic [3:0] owner_mem[SESSIONS];

  tcp_notify_t note;
  logic look, clearing_q, write;
  logic [ADDR_W-1:0] clear_q, write_addr;
  logic [3:0] write_owner;

  assign note = tcp_notify_t'(s_eng_notify.data);
  assign look_port = note.tuple.local_port;

  // ---- first cycle: who is the owner ----------------------------------------------------------
  logic known_q;  // owner_q and looked_q are those of the notification that is offered
  logic [3:0] looked_q, owner_q, owner;

  assign look  = s_eng_notify.valid && !known_q && !act_valid && !clearing_q;
  assign owner = note.opened ? looked_q : owner_q;

  always_ff @(posedge clk) begin
    if (write) owner_mem[write_addr] <= write_owner;
    if (look) owner_q <= owner_mem[note.sid[ADDR_W-1:0]];
  end

  // ---- second cycle: to its owner, or back ----------------------------------------------------
  logic [CLIENTS-1:0] valid_q, ready, to;
  logic [CLIENTS-1:0][NOTIFY_W-1:0] note_q;
  logic decide, orphan, fits;

  always_comb begin
    for (int i = 0; i < CLIENTS; i++) to[i] = owner[3] && owner[2:0] == 3'(i);
  end

  assign decide = s_eng_notify.valid && known_q && !act_valid;
  assign orphan = note.opened && !owner[3];
  assign fits = orphan ? !m_orphan.valid || m_orphan.ready : (to & valid_q & ~ready) == '0;
  assign s_eng_notify.ready = decide && fits;
  assign notify_skip = decide && !fits;

  always_comb begin
    write = s_eng_notify.ready && note.opened;
    write_addr = note.sid[ADDR_W-1:0];
    write_owner = looked_q;
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
    known_q <= look || (known_q && !decide);
    if (look) looked_q <= {look_hit, look_client};
    valid_q <= (valid_q & ~ready) | (s_eng_notify.ready ? to : '0);
    for (int i = 0; i < CLIENTS; i++) begin
      if (s_eng_notify.ready && to[i]) note_q[i] <= s_eng_notify.data;
    end
    if (m_orphan.ready) m_orphan.valid <= 1'b0;
    if (s_eng_notify.ready && orphan) begin
      m_orphan.valid <= 1'b1;
      m_orphan.data  <= {note.sid, 1'b1};
    end
    ev_orphan <= s_eng_notify.ready && orphan;
    if (clearing_q) clear_q <= clear_q + 1'b1;
    if (&clear_q) clearing_q <= 1'b0;
    if (rst) begin
      known_q <= 1'b0;
      valid_q <= '0;
      m_orphan.valid <= 1'b0;
      ev_orphan <= 1'b0;
      clear_q <= '0;
      clearing_q <= 1'b1;
    end
  end

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_out
    assign m_notify[i].valid = valid_q[i];
    assign m_notify[i].data = note_q[i];
    assign ready[i] = m_notify[i].ready;
  end

  assign busy = clearing_q || s_eng_notify.valid || valid_q != '0 || m_orphan.valid;

  logic unused;
  assign unused = ^{note, act_sid};
endmodule
