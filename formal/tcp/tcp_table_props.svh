// SPDX-License-Identifier: Apache-2.0
//
// Properties of kumi_tcp_table, included in that module; see tcp_table_formal.sv.
`include "kumi_assert.svh"
// Unclocked, so that they hold within one induction step.
`define PROVED(NAME, COND) always_comb if (!rst) NAME : assert (COND);

// The observed tuple: `key` during reset. Its properties.
tcp_tuple_t f_watch_q;
logic f_there_q;
logic [SW-1:0] f_sid_q;

function automatic logic [AW-1:0] f_hash(input tcp_tuple_t t, input int offset);
  for (int i = 0; i < AW; i++) f_hash[i] = ^(t & matrix[i+offset+:64]);
endfunction

assign f_hash_l  = f_hash(f_watch_q, 0);
assign f_hash_r  = f_hash(f_watch_q, 48);
assign f_asked_l = f_hash(req_q.tuple, 0);
assign f_asked_r = f_hash(req_q.tuple, 48);

logic f_about, f_effect;
assign f_about  = req_q.tuple == f_watch_q;
assign f_effect = write && f_about && (req_q.op == TABLE_INSERT ? ok_q : req_q.op == TABLE_DELETE);

logic [ALL-1:0] f_match, f_asked_match, f_asked_used;
logic f_one, f_sid_right;
always_comb begin
  f_sid_right = 1'b1;
  for (int w = 0; w < ALL; w++) begin
    f_match[w] = f_here[w].valid && f_here[w].tuple == f_watch_q;
    if (f_match[w] && f_here[w].sid != f_sid_q) f_sid_right = 1'b0;
    f_asked_used[w]  = f_asked[w].valid;
    f_asked_match[w] = f_asked[w].valid && f_asked[w].tuple == req_q.tuple;
  end
  f_one = (f_match & (f_match - 1'b1)) == '0;
end

always_ff @(posedge clk) begin
  if (f_effect) begin
    f_there_q <= req_q.op == TABLE_INSERT;
    f_sid_q   <= SW'(req_q.sid);
  end
  if (rst) begin
    f_watch_q <= key;
    f_there_q <= 1'b0;
  end
end

// Neither lost nor doubled.
`PROVED(a_once, !ready || (f_one && (f_match != '0) == f_there_q))
`PROVED(a_sid, !ready || f_sid_right)

// While the tables are cleared: nothing before the place that is cleared.
logic f_cleared_l, f_cleared_r;
assign f_cleared_l = CLEAR_W'(f_hash_l) < clear_q;
assign f_cleared_r = CLEAR_W'(f_hash_r) < clear_q;
`PROVED(a_clear_l, ready || !f_cleared_l || f_match[WAYS-1:0] == '0)
`PROVED(a_clear_r, ready || !f_cleared_r || f_match[2*WAYS-1:WAYS] == '0)
`PROVED(a_clear_stash, ready || (!f_there_q && f_match[ALL-1:2*WAYS] == '0))

// A request on its way through the stages.
logic [3:0] f_way;
assign f_way = {b_req_q, c_req_q, d_req_q, e_req_q};
`PROVED(a_states, state_q <= ANSWER)
`PROVED(a_way, state_q == WAIT ? f_way != '0 && (f_way & (f_way - 1'b1)) == '0 : f_way == '0)
`PROVED(a_b_tuple, !b_req_q || b_tuple_q == req_q.tuple)
`PROVED(a_b_hash, !b_req_q || (addr_l == f_asked_l && addr_r == f_asked_r))
logic f_later;
assign f_later = c_req_q || d_req_q || e_req_q || state_q == ACT || state_q == WRITE;
`PROVED(a_addr, !f_later || (addr_l_q == f_asked_l && addr_r_q == f_asked_r))
`PROVED(a_c, !c_req_q || (f_c == f_asked && c_tuple_q == req_q.tuple))
`PROVED(a_d, !d_req_q || (d_entry == f_asked && d_tuple_q == req_q.tuple))
`PROVED(a_e, !e_req_q || (e_match_q == f_asked_match && e_used_q == f_asked_used))
`PROVED(a_act, state_q != ACT || (match_q == f_asked_match && used_q == f_asked_used))

// What is written: entries of the request's tuple, or one that is free.
logic f_write_right;
always_comb begin
  f_write_right = 1'b1;
  for (int w = 0; w < ALL; w++) begin
    if (target_q[w] && !f_asked_match[w] && (req_q.op != TABLE_INSERT || f_asked_used[w]))
      f_write_right = 1'b0;
  end
end
`PROVED(
    a_write,
    !write || (f_write_right && wr_entry_q.tuple == req_q.tuple && wr_entry_q.valid == (req_q.op == TABLE_INSERT) && wr_entry_q.sid == SW'(req_q.sid)))
`PROVED(a_write_find, !write || req_q.op != TABLE_FIND || target_q == '0)
`PROVED(a_write_delete, !write || req_q.op != TABLE_DELETE || target_q == f_asked_match)
`PROVED(
    a_write_insert,
    !write || req_q.op != TABLE_INSERT || (ok_q == (target_q != '0) && (f_asked_match != '0 ? target_q == f_asked_match : (target_q & (target_q - 1'b1)) == '0)))

// The answer about the watched tuple. Of a deletion: before it is done.
`PROVED(a_act_sid, state_q != ACT || !f_about || !f_there_q || sid_q == f_sid_q)
`PROVED(a_e_sid, !e_req_q || !f_about || !f_there_q || e_sid == f_sid_q)
`PROVED(
    a_find,
    !(state_q == WRITE || state_q == ANSWER) || !f_about || req_q.op != TABLE_FIND || (ok_q == f_there_q && (!ok_q || sid_q == f_sid_q)))
`PROVED(a_delete, state_q != WRITE || !f_about || req_q.op != TABLE_DELETE || ok_q == f_there_q)
`PROVED(a_insert, state_q != WRITE || !f_about || req_q.op != TABLE_INSERT || !f_there_q || ok_q)

// Lookups: right unless the tables have changed since, and then the age says so.
tcp_tuple_t f_e_tuple_q;
logic f_b, f_c_now, f_d_now, f_e_now;
always_ff @(posedge clk) f_e_tuple_q <= d_tuple_q;
assign f_b = b_valid_q && b_tuple_q == f_watch_q;
assign f_c_now = c_valid_q && c_tuple_q == f_watch_q && c_age_q == age_q;
assign f_d_now = d_valid_q && d_tuple_q == f_watch_q && d_age_q == age_q;
assign f_e_now = e_valid_q && f_e_tuple_q == f_watch_q && e_age_q == age_q;
`PROVED(a_c_age, !c_valid_q || age_q - c_age_q <= 16'd1)
`PROVED(a_d_age, !d_valid_q || age_q - d_age_q <= 16'd2)
`PROVED(a_e_age, !e_valid_q || age_q - e_age_q <= 16'd3)
`PROVED(a_no_keys, ready || !(b_valid_q || c_valid_q || d_valid_q || e_valid_q))
`PROVED(a_b_look, !f_b || (addr_l == f_hash_l && addr_r == f_hash_r))
`PROVED(a_c_look, !f_c_now || f_c == f_here)
`PROVED(a_d_look, !f_d_now || d_entry == f_here)
`PROVED(a_e_look, !f_e_now || e_match_q == f_match)
`PROVED(
    a_look,
    !(look_valid && f_e_now) || (look.hit == f_there_q && (!look.hit || look.sid == SID_W'(f_sid_q))))

`KUMI_COVER(c_found, look_valid && f_e_now && look.hit)
`KUMI_COVER(c_changed, look_valid && f_e_tuple_q == f_watch_q && look.hit != f_there_q)
