// SPDX-License-Identifier: Apache-2.0
//
// Owners of ports and connections among several applications on one TCP engine.
//
// s_listen, m_listen_rsp, s_open, m_open_rsp: the applications. m_eng_*, s_eng_*: the engine.
// One outstanding listen request. A port that another application owns is refused with TCP_IN_USE,
// more than PORTS ports with TCP_NO_ROOM, without asking the engine.
// Each application may have OPENS outstanding opens; another one waits (its s_open.ready is low)
// for a response. A response goes to an application that asked for this address and port, the
// lowest of several; each gets as many responses as it made requests.
// The owner of a new connection is known in the cycle in which its response is accepted: act_valid,
// act_sid, act_client. m_open_rsp follows 2 cycles later.
// look_port -> look_hit, look_client: owner of a port, also of a closed one until its entry is
//   reused; combinational.
module kumi_tcp_app_mux_ports
  import kumi_tcp_pkg::*;
#(
    parameter int CLIENTS = 2,
    parameter int PORTS   = 16,  // open ports
    parameter int OPENS   = 4    // outstanding opens per application, a power of two
) (
    input  logic                       clk,
    input  logic                       rst,
           kumi_rec_if.snk             s_listen        [CLIENTS],
           kumi_rec_if.src             m_listen_rsp    [CLIENTS],
           kumi_rec_if.snk             s_open          [CLIENTS],
           kumi_rec_if.src             m_open_rsp      [CLIENTS],
           kumi_rec_if.src             m_eng_listen,
           kumi_rec_if.snk             s_eng_listen_rsp,
           kumi_rec_if.src             m_eng_open,
           kumi_rec_if.snk             s_eng_open_rsp,
    output logic                       act_valid,
    output logic           [SID_W-1:0] act_sid,
    output logic           [      2:0] act_client,
    input  logic           [     15:0] look_port,
    output logic                       look_hit,
    output logic           [      2:0] look_client,
    output logic                       busy
);
  // ---- requests of the applications -----------------------------------------------------------
  logic [CLIENTS-1:0] told_valid, m_told;
  logic [CLIENTS-1:0][$clog2(OPENS):0] depth;
  logic [CLIENTS-1:0] listen_req, listen_grant, told_ready, open_req, open_grant, open_room;
  logic [CLIENTS-1:0][LISTEN_W-1:0] listen_data;
  logic [CLIENTS-1:0][  OPEN_W-1:0] open_data;
  logic listen_take, open_take;

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_in
    assign listen_req[i] = s_listen[i].valid;
    assign listen_data[i] = s_listen[i].data;
    assign s_listen[i].ready = listen_take && listen_grant[i];
    assign told_ready[i] = m_listen_rsp[i].ready;
    // Responses not yet accepted count as well, so their FIFO never overflows.
    assign open_req[i] = s_open[i].valid && open_room[i] && depth[i] == '0 && !told_valid[i];
    assign open_data[i] = s_open[i].data;
    assign s_open[i].ready = open_take && open_grant[i];
  end

  kumi_arbiter #(
      .N(CLIENTS)
  ) u_listen_arbiter (
      .clk,
      .rst,
      .req  (listen_req),
      .done (listen_take),
      .grant(listen_grant)
  );
  kumi_arbiter #(
      .N(CLIENTS)
  ) u_open_arbiter (
      .clk,
      .rst,
      .req  (open_req),
      .done (open_take),
      .grant(open_grant)
  );

  // ---- ports ----------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    REST,
    LOOK,
    PLACE,
    ASK,
    ANSWER,
    TELL
  } state_e;

  state_e state_q;
  tcp_listen_t ask_d, ask_q;
  tcp_reason_e reason_q;
  tcp_listen_rsp_t eng_told;
  logic [2:0] client_d, client_q;
  logic [PORTS-1:0] used_q, open_q, same, hit_q, place_q, place_d;
  logic [15:0] port_q [PORTS];
  logic [ 2:0] owner_q[PORTS];
  logic other, other_q, fresh_q;

  assign listen_take = state_q == REST && |listen_req;
  assign eng_told = tcp_listen_rsp_t'(s_eng_listen_rsp.data);
  assign m_eng_listen.valid = state_q == ASK;
  assign m_eng_listen.data = ask_q;
  assign s_eng_listen_rsp.ready = state_q == ANSWER;

  always_comb begin
    ask_d = '0;
    client_d = '0;
    for (int i = 0; i < CLIENTS; i++) begin
      if (listen_grant[i]) begin
        ask_d = tcp_listen_t'(listen_data[i]);
        client_d = 3'(i);
      end
    end
    same  = '0;
    other = 1'b0;
    for (int i = 0; i < PORTS; i++) begin
      same[i] = used_q[i] && port_q[i] == ask_q.port;
      if (same[i] && open_q[i] && owner_q[i] != client_q) other = 1'b1;
    end
    // Its own entry, else a free one, else a closed one.
    if (|hit_q) place_d = hit_q;
    else if (!(&used_q)) place_d = ~used_q & (used_q + 1'b1);
    else place_d = ~open_q & (open_q + 1'b1);
  end

  always_ff @(posedge clk) begin
    case (state_q)
      REST:
      if (listen_take) begin
        ask_q <= ask_d;
        client_q <= client_d;
        state_q <= LOOK;
      end
      LOOK: begin
        hit_q   <= same;
        other_q <= other;
        state_q <= PLACE;
      end
      PLACE: begin
        place_q <= place_d;
        fresh_q <= !(|(hit_q & open_q));
        state_q <= ASK;
        if (other_q) begin
          reason_q <= TCP_IN_USE;
          state_q  <= TELL;
        end else if (!ask_q.off && place_d == '0) begin
          reason_q <= TCP_NO_ROOM;
          state_q  <= TELL;
        end
      end
      ASK: if (m_eng_listen.ready) state_q <= ANSWER;
      ANSWER:
      if (s_eng_listen_rsp.valid) begin
        reason_q <= eng_told.reason;
        state_q  <= TELL;
      end
      default: if (|(told_ready & m_told)) state_q <= REST;
    endcase
    for (int i = 0; i < PORTS; i++) begin
      // The entry is written before the engine is asked: the first connection may precede the
      // response.
      if (state_q == ASK && !ask_q.off && place_q[i]) begin
        used_q[i]  <= 1'b1;
        open_q[i]  <= 1'b1;
        port_q[i]  <= ask_q.port;
        owner_q[i] <= client_q;
      end
      if (state_q == ANSWER && s_eng_listen_rsp.valid) begin
        if (ask_q.off ? hit_q[i] && eng_told.reason == TCP_OK
                      : place_q[i] && fresh_q && eng_told.reason != TCP_OK) begin
          open_q[i] <= 1'b0;
        end
      end
    end
    if (rst) begin
      state_q <= REST;
      used_q  <= '0;
      open_q  <= '0;
    end
  end

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_told
    assign m_told[i] = state_q == TELL && client_q == 3'(i);
    assign m_listen_rsp[i].valid = m_told[i];
    assign m_listen_rsp[i].data = {ask_q.port, reason_q};
  end

  always_comb begin
    look_hit = 1'b0;
    look_client = '0;
    for (int i = 0; i < PORTS; i++) begin
      if (used_q[i] && port_q[i] == look_port) begin
        look_hit = 1'b1;
        look_client |= owner_q[i];
      end
    end
  end

  // ---- connections ----------------------------------------------------------------------------
  typedef logic [OPENS-1:0] places_t;
  tcp_open_rsp_t opened;
  places_t [CLIENTS-1:0] wait_q, free, match;
  tcp_open_t wait_data_q[CLIENTS][OPENS];
  logic [CLIENTS-1:0] answer, answer_in, opened_ok;
  logic [OPEN_W-1:0] open_d;

  assign opened = tcp_open_rsp_t'(s_eng_open_rsp.data);
  assign s_eng_open_rsp.ready = 1'b1;

  always_comb begin
    open_d = '0;
    for (int i = 0; i < CLIENTS; i++) begin
      if (open_grant[i]) open_d |= open_data[i];
      free[i] = ~wait_q[i] & (wait_q[i] + 1'b1);
      open_room[i] = !(&wait_q[i]);
      for (int j = 0; j < OPENS; j++) begin
        match[i][j] = wait_q[i][j] && wait_data_q[i][j].ip == opened.ip
            && wait_data_q[i][j].port == opened.port;
      end
      answer[i] = |match[i];
    end
    answer_in  = answer & (~answer + 1'b1);
    act_client = '0;
    for (int i = 0; i < CLIENTS; i++) if (answer_in[i]) act_client |= 3'(i);
  end

  assign act_valid = s_eng_open_rsp.valid && |answer && opened.reason == TCP_OK;
  assign act_sid   = opened.sid;
  assign open_take = |open_req && (!m_eng_open.valid || m_eng_open.ready);

  always_ff @(posedge clk) begin
    if (m_eng_open.ready) m_eng_open.valid <= 1'b0;
    if (open_take) begin
      m_eng_open.valid <= 1'b1;
      m_eng_open.data  <= open_d;
    end
    for (int i = 0; i < CLIENTS; i++) begin
      if (open_take && open_grant[i]) begin
        wait_q[i] <= wait_q[i] | free[i];
        for (int j = 0; j < OPENS; j++) begin
          if (free[i][j]) wait_data_q[i][j] <= tcp_open_t'(open_data[i]);
        end
      end
      if (s_eng_open_rsp.valid && answer_in[i]) begin
        wait_q[i] <= (wait_q[i] & ~(match[i] & (~match[i] + 1'b1)))
            | (open_take && open_grant[i] ? free[i] : '0);
      end
    end
    if (rst) begin
      m_eng_open.valid <= 1'b0;
      wait_q <= '0;
    end
  end

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_opened
    logic room;
    kumi_fifo #(
        .W(OPEN_RSP_W),
        .DEPTH(OPENS)
    ) u_opened (
        .clk,
        .rst,
        .s_data (s_eng_open_rsp.data),
        .s_valid(s_eng_open_rsp.valid && answer_in[i]),
        .s_ready(room),
        .m_data (m_open_rsp[i].data),
        .m_valid(m_open_rsp[i].valid),
        .m_ready(m_open_rsp[i].ready),
        .depth  (depth[i])
    );
    assign opened_ok[i]  = room;
    assign told_valid[i] = m_open_rsp[i].valid;
  end

  assign busy = state_q != REST || |wait_q || |depth || m_eng_open.valid;

  logic unused;
  assign unused = ^{eng_told, opened, opened_ok, fresh_q};
endmodule
