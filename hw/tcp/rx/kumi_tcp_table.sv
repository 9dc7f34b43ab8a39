// SPDX-License-Identifier: Apache-2.0
//
// Connection table: sessions by 4-tuple (exact match), and the listening ports.
//
// Two halves of SESSIONS/WAYS buckets with WAYS entries each, twice as many entries as sessions,
// and STASH entries for any tuple. A tuple has one bucket in each half, selected by two hashes that
// depend on `secret` (Toeplitz matrices), so a peer without the secret cannot aim at one bucket. It
// is inserted into the emptier bucket, into the stash if both are full. Entries never move.
//
// key_*: a lookup (valid/ready); look_valid, look: its result 4 cycles later, in order. key_ready
//   is low only in the cycle in which a request reads: one lookup per cycle, less one per request.
// s_table, m_table: requests and responses, one at a time, in order. INSERT of a present tuple
//   replaces its session; INSERT responds ok low when neither bucket nor stash has space. 9 cycles
//   from request to response; FIND also waits for its hash (hash_*, see kumi_tcp_hash).
// change_*: a change was made (INSERT, DELETE: of the tuple; PORT: of its local port). The age of a
//   result is the number of changes the tables held when they were read: see
//   kumi_tcp_lookup_hazard.
// ready: low after reset while the tables are cleared, max(2048, SESSIONS/4) cycles; meanwhile
//   lookups miss and requests wait.
module kumi_tcp_table
  import kumi_tcp_pkg::*;
  import kumi_tcp_path_pkg::*;
#(
    parameter int SESSIONS = 16,  // a power of two, 4 to 16384
    parameter int WAYS     = 4,   // entries of a bucket, 2 to 4
    parameter int STASH    = 4,   // entries for any tuple
    parameter int PORT_W   = 16   // significant bits of a port number; fewer for proofs only
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic           [127:0] secret,
    input  logic                   key_valid,
    output logic                   key_ready,
    input  tcp_tuple_t             key,
    output logic                   look_valid,
    output tcp_lookup_t            look,
           kumi_rec_if.snk         s_table,
           kumi_rec_if.src         m_table,
    output logic                   hash_req_valid,
    input  logic                   hash_req_ready,
    output tcp_tuple_t             hash_req_tuple,
    input  logic                   hash_rsp_valid,
    input  logic           [ 31:0] hash_rsp,
    output logic                   change_valid,
    output logic                   change_port,
    output tcp_tuple_t             change_tuple,
    output logic                   ready
);
  localparam int BUCKETS = SESSIONS <= 8 ? 2 : SESSIONS / WAYS;
  localparam int AW = $clog2(BUCKETS);
  localparam int SW = $clog2(SESSIONS);
  localparam int ALL = 2 * WAYS + STASH;
  localparam int PORT_WORDS = (1 << PORT_W) / 32;
  localparam int PA = $clog2(PORT_WORDS);
  localparam int CLEAR_W = AW > PA ? AW : PA;

  if (SESSIONS < 4 || SESSIONS > 16384 || (SESSIONS & (SESSIONS - 1)) != 0) begin : gen_check_n
    $fatal(0, "SESSIONS must be a power of two, 4 to 16384 (%m)");
  end
  if (WAYS < 2 || WAYS > 4 || STASH < 1 || PORT_W < 6 || PORT_W > 16) begin : gen_check_sizes
    $fatal(0, "WAYS must be 2 to 4, STASH at least 1, PORT_W 6 to 16 (%m)");
  end
  localparam int REQ_W = $bits(tcp_table_req_t);
  if (s_table.W != REQ_W || m_table.W != $bits(tcp_table_rsp_t)) begin : gen_check_if
    $fatal(0, "s_table or m_table has another width (%m)");
  end

  typedef struct packed {
    logic          valid;
    tcp_tuple_t    tuple;
    logic [SW-1:0] sid;
  } table_entry_t;

  // ---- requests -------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    CLEAR,
    IDLE,
    READ,
    WAIT,
    ACT,
    WRITE,
    ANSWER
  } state_e;

  state_e state_q;
  tcp_table_req_t req, req_q;
  logic [CLEAR_W-1:0] clear_q;
  logic clearing, reads_q, hash_wait_q, hash_want_q;  // reads_q: in state READ
  logic [15:0] age_q;  // number of table changes
  logic [31:0] hash_q;
  logic write;

  assign ready = state_q != CLEAR;
  assign clearing = state_q == CLEAR;
  assign key_ready = !reads_q;

  // ---- hashes, memories -----------------------------------------------------------------------
  // Stage b: partial hashes; memories read. c: their outputs. d: registered. e:
  // matching entries.
  logic b_valid_q, c_valid_q, d_valid_q, e_valid_q, b_req_q, c_req_q, d_req_q, e_req_q;
  tcp_tuple_t a_tuple, b_tuple_q, c_tuple_q, d_tuple_q;
  logic [127:0] matrix;
  logic [AW-1:0][3:0] part_l_q, part_r_q;
  logic [AW-1:0] addr_l, addr_r, addr_l_q, addr_r_q;
  logic [15:0] c_age_q, d_age_q, e_age_q;

  assign matrix  = secret ^ 128'h8f1bbcdc_5a827999_ca62c1d6_6ed9eba1;
  assign a_tuple = reads_q ? req_q.tuple : key;

  always_ff @(posedge clk) begin
    for (int i = 0; i < AW; i++) begin
      for (int p = 0; p < 4; p++) begin
        part_l_q[i][p] <= ^(a_tuple[16*p+:16] & matrix[i+16*p+:16]);
        part_r_q[i][p] <= ^(a_tuple[16*p+:16] & matrix[i+16*p+48+:16]);
      end
    end
  end
  for (genvar i = 0; i < AW; i++) begin : gen_addr
    assign addr_l[i] = ^part_l_q[i];
    assign addr_r[i] = ^part_r_q[i];
  end

  always_ff @(posedge clk) begin
    b_valid_q <= key_valid && !reads_q;
    b_req_q   <= reads_q;
    b_tuple_q <= a_tuple;
    c_valid_q <= b_valid_q;
    c_req_q   <= b_req_q;
    c_tuple_q <= b_tuple_q;
    c_age_q   <= age_q;
    d_valid_q <= c_valid_q;
    d_req_q   <= c_req_q;
    d_tuple_q <= c_tuple_q;
    d_age_q   <= c_age_q;
    e_valid_q <= d_valid_q;
    e_req_q   <= d_req_q;
    e_age_q   <= d_age_q;
    if (b_req_q) begin
      addr_l_q <= addr_l;
      addr_r_q <= addr_r;
    end
    if (rst) begin
      {b_valid_q, c_valid_q, d_valid_q, e_valid_q} <= '0;
      {b_req_q, c_req_q, d_req_q, e_req_q} <= '0;
    end
  end

`ifdef FORMAL
  // For formal/tcp: the entries that may hold the watched tuple and that of the request.
  table_entry_t [ALL-1:0] f_here, f_asked, f_c;
  logic [AW-1:0] f_hash_l, f_hash_r, f_asked_l, f_asked_r;
`endif

  logic [ALL-1:0] target_q;  // entries to write
  table_entry_t wr_entry_q;
  table_entry_t [ALL-1:0] d_entry;

  for (genvar w = 0; w < 2 * WAYS; w++) begin : gen_way
    localparam bit LEFT = w < WAYS;
    (* no_rw_check *) table_entry_t mem[BUCKETS];
    table_entry_t c_entry_q, d_entry_q;
    logic we;
    logic [AW-1:0] wr_addr;
    table_entry_t wr_entry;

    assign we = clearing || (write && target_q[w]);
    assign wr_addr = clearing ? clear_q[AW-1:0] : LEFT ? addr_l_q : addr_r_q;
    assign wr_entry = clearing ? '0 : wr_entry_q;

    always_ff @(posedge clk) begin
      if (we) mem[wr_addr] <= wr_entry;
    end
    always_ff @(posedge clk) begin
      c_entry_q <= mem[LEFT?addr_l : addr_r];
      d_entry_q <= c_entry_q;
    end
    assign d_entry[w] = d_entry_q;
`ifdef FORMAL
    assign f_here[w] = mem[LEFT?f_hash_l : f_hash_r];
    assign f_asked[w] = mem[LEFT?f_asked_l : f_asked_r];
    assign f_c[w] = c_entry_q;
`endif
  end

  for (genvar w = 2 * WAYS; w < ALL; w++) begin : gen_stash
    table_entry_t own_q, d_entry_q;
    always_ff @(posedge clk) begin
      if (write && target_q[w]) own_q <= wr_entry_q;
      d_entry_q <= own_q;
      if (rst) own_q.valid <= 1'b0;
    end
    assign d_entry[w] = d_entry_q;
`ifdef FORMAL
    assign f_here[w] = own_q;
    assign f_asked[w] = own_q;
    assign f_c[w] = own_q;
`endif
  end

  // ---- open ports -----------------------------------------------------------------------------
  (* no_rw_check *) logic [31:0] ports[PORT_WORDS];
  logic [31:0] c_port_q, d_port_q, e_port_q, port_word_q;
  logic d_open, e_open_q, port_we_q;
  logic [4:0] d_bit;

  assign d_bit  = d_tuple_q.local_port[4:0];
  assign d_open = d_port_q[d_bit];

  always_ff @(posedge clk) begin
    if (clearing) ports[clear_q[PA-1:0]] <= '0;
    else if (port_we_q) ports[req_q.tuple.local_port[PORT_W-1:5]] <= port_word_q;
  end
  always_ff @(posedge clk) begin
    c_port_q <= ports[b_tuple_q.local_port[PORT_W-1:5]];
    d_port_q <= c_port_q;
    e_port_q <= d_port_q;
    e_open_q <= d_open;
  end

  // ---- match ----------------------------------------------------------------------------------
  logic [ALL-1:0] e_match_q, e_used_q;
  logic [ALL-1:0][SW-1:0] e_sid_q;
  logic [SW-1:0] e_sid;

  always_ff @(posedge clk) begin
    for (int w = 0; w < ALL; w++) begin
      e_match_q[w] <= d_entry[w].valid && d_entry[w].tuple == d_tuple_q;
      e_used_q[w]  <= d_entry[w].valid;
      e_sid_q[w]   <= d_entry[w].sid;
    end
  end

  always_comb begin
    e_sid = '0;
    for (int w = 0; w < ALL; w++) e_sid |= e_match_q[w] ? e_sid_q[w] : '0;
  end

  assign look_valid = e_valid_q;
  assign look = '{
          hit: e_match_q != '0 && ready,
          sid: SID_W'(e_sid),
          listen: e_open_q && ready,
          age: e_age_q
      };

  // ---- effect of a request --------------------------------------------------------------------
  // The first free entry of each group.
  logic [ALL-1:0] used_q, match_q, first_free;
  logic [WAYS-1:0] used_l, used_r;
  logic [2:0] count_l, count_r;
  logic full_l, full_r, full_stash, ok_q, open_q;
  logic [SW-1:0] sid_q;

  assign used_l = used_q[WAYS-1:0];
  assign used_r = used_q[2*WAYS-1:WAYS];
  assign full_l = &used_l;
  assign full_r = &used_r;
  assign full_stash = &used_q[ALL-1:2*WAYS];
  assign first_free = {
    ~used_q[ALL-1:2*WAYS] & (used_q[ALL-1:2*WAYS] + 1'b1),
    ~used_r & (used_r + 1'b1),
    ~used_l & (used_l + 1'b1)
  };

  always_comb begin
    count_l = '0;
    count_r = '0;
    for (int w = 0; w < WAYS; w++) begin
      count_l += 3'(used_l[w]);
      count_r += 3'(used_r[w]);
    end
  end

  logic [ALL-1:0] place;
  always_comb begin
    place = '0;
    if (match_q != '0) place = match_q;
    else if (full_l && full_r) place[ALL-1:2*WAYS] = first_free[ALL-1:2*WAYS];
    else if (count_r < count_l) place[2*WAYS-1:WAYS] = first_free[2*WAYS-1:WAYS];
    else place[WAYS-1:0] = first_free[WAYS-1:0];
  end

  assign write = state_q == WRITE && req_q.op != TABLE_PORT;
  assign req = s_table.data;
  assign change_valid = s_table.ready && s_table.valid && req.op != TABLE_FIND;
  assign change_port = req.op == TABLE_PORT;
  assign change_tuple = req.tuple;

  assign s_table.ready = state_q == IDLE;
  assign hash_req_valid = hash_want_q;
  assign hash_req_tuple = req_q.tuple;

  tcp_table_rsp_t rsp;
  always_comb begin
    rsp = '{ok: ok_q, sid: SID_W'(sid_q), listen: open_q, hash: hash_q};
    if (req_q.op != TABLE_FIND) begin
      rsp.sid = '0;
      rsp.listen = 1'b0;
      rsp.hash = '0;
    end
  end
  assign m_table.data  = rsp;
  assign m_table.valid = state_q == ANSWER && !hash_wait_q;

  always_ff @(posedge clk) begin
    if (hash_req_ready) hash_want_q <= 1'b0;
    if (hash_rsp_valid) begin
      hash_wait_q <= 1'b0;
      hash_q <= hash_rsp;
    end
    port_we_q <= 1'b0;
    reads_q   <= 1'b0;
    if (state_q == WRITE && req_q.op != TABLE_FIND) age_q <= age_q + 1'b1;
    case (state_q)
      CLEAR: begin
        clear_q <= clear_q + 1'b1;
        if (clear_q == '1) state_q <= IDLE;
      end
      IDLE: begin
        req_q <= req;
        if (s_table.valid) begin
          state_q <= READ;
          reads_q <= 1'b1;
          hash_want_q <= req.op == TABLE_FIND;
          hash_wait_q <= req.op == TABLE_FIND;
        end
      end
      READ: state_q <= WAIT;
      WAIT: begin
        used_q <= e_used_q;
        match_q <= e_match_q;
        sid_q <= e_sid;
        open_q <= e_open_q;
        port_word_q <= e_port_q;
        port_word_q[req_q.tuple.local_port[4:0]] <= req_q.sid[0];
        if (e_req_q) state_q <= ACT;
      end
      ACT: begin
        wr_entry_q <= '{valid: req_q.op == TABLE_INSERT, tuple: req_q.tuple, sid: SW'(req_q.sid)};
        target_q   <= req_q.op == TABLE_INSERT ? place : req_q.op == TABLE_DELETE ? match_q : '0;
        port_we_q  <= req_q.op == TABLE_PORT;
        case (req_q.op)
          TABLE_INSERT: ok_q <= match_q != '0 || !full_l || !full_r || !full_stash;
          TABLE_PORT: ok_q <= open_q;
          default: ok_q <= match_q != '0;
        endcase
        state_q <= WRITE;
      end
      WRITE: state_q <= ANSWER;
      ANSWER: if (m_table.valid && m_table.ready) state_q <= IDLE;
      default: state_q <= IDLE;
    endcase
    if (rst) begin
      state_q <= CLEAR;
      reads_q <= 1'b0;
      clear_q <= '0;
      hash_want_q <= 1'b0;
      hash_wait_q <= 1'b0;
      port_we_q <= 1'b0;
      age_q <= '0;
    end
  end

`ifdef FORMAL
  `include "tcp_table_props.svh"
`endif

  logic unused;
  assign unused = ^{first_free, matrix};
endmodule
