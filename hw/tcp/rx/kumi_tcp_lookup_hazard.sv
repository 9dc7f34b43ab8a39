// SPDX-License-Identifier: Apache-2.0
//
// Hazard check between table lookups and table changes: remembers the latest changes and flags
//   lookups they may invalidate.
//
// change_valid: a change of the tuple, or (change_port) of its local port. Changes are numbered; a
//   lookup's `age` is the number of changes the table held when it was read.
// stale: one of the changes since then may concern this tuple, or there were more than HISTORY.
//   Combinational, two lookups at a time. No false negatives; false positives where 16-bit XOR
//   folds collide.
module kumi_tcp_lookup_hazard
  import kumi_tcp_pkg::*;
#(
    parameter int HISTORY = 8  // changes remembered
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   change_valid,
    input  logic                   change_port,
    input  tcp_tuple_t             change_tuple,
    input  tcp_tuple_t [1:0]       tuple,
    input  logic       [1:0][15:0] age,
    output logic       [1:0]       stale
);
  typedef struct packed {
    logic        port;
    logic [15:0] mark;
  } past_t;

  function automatic logic [15:0] mark(input tcp_tuple_t t);
    return t.peer_ip[31:16] ^ t.peer_ip[15:0] ^ t.peer_port ^ t.local_port;
  endfunction

  past_t [HISTORY-1:0] past_q;  // the latest in [0]
  logic [15:0] count_q;

  always_ff @(posedge clk) begin
    if (change_valid) begin
      count_q <= count_q + 1'b1;
      past_q <= {
        past_q[HISTORY-2:0], change_port, change_port ? change_tuple.local_port : mark(change_tuple)
      };
    end
    if (rst) count_q <= '0;
  end

  for (genvar i = 0; i < 2; i++) begin : gen_question
    logic [15:0] since;
    logic [HISTORY-1:0] about;
    assign since = count_q - age[i];
    for (genvar k = 0; k < HISTORY; k++) begin : gen_past
      assign about[k] = since > 16'(k)
          && past_q[k].mark == (past_q[k].port ? tuple[i].local_port : mark(
          tuple[i]
      ));
    end
    assign stale[i] = about != '0 || since > 16'(HISTORY);
  end
endmodule
