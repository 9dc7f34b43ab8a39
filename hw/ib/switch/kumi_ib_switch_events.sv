// SPDX-License-Identifier: Apache-2.0
//
// Relay events of a switch by port: what each input could not forward, and what was discarded on
// account of the port to send.
//
// no_route, no_vl, loop: of the input of each port. discard: of each input, any number in a cycle.
// relay: one cycle later; relay.discard is one pulse for each packet discarded, one after the other
//   (up to 65535 wait). [0] is the management port.
module kumi_ib_switch_events
  import kumi_ib_switch_pkg::*;
#(
    parameter  int PORTS = 8,
    localparam int ENDS  = PORTS + 1
) (
    input  logic                             clk,
    input  logic                             rst,
    input  logic             [ENDS-1:0]      no_route,
    input  logic             [ENDS-1:0]      no_vl,
    input  logic             [ENDS-1:0]      loop,
    input  ib_discard_t      [ENDS-1:0][2:0] discard,
    output ib_relay_events_t [ENDS-1:0]      relay
);
  logic [ENDS-1:0][ENDS-1:0][2:0] hits;  // by port: the discards on its account
  logic [ENDS-1:0][2:0] inactive, too_long, life, hoq_life;  // why each of them
  logic [ENDS-1:0][ 6:0] count_q;
  logic [ENDS-1:0][15:0] backlog_q;

  always_comb begin
    for (int i = 0; i < ENDS; i++) begin
      for (int n = 0; n < 3; n++) begin
        inactive[i][n] = discard[i][n].inactive;
        too_long[i][n] = discard[i][n].too_long;
        life[i][n]     = discard[i][n].life;
        hoq_life[i][n] = discard[i][n].hoq_life;
      end
    end
    for (int p = 0; p < ENDS; p++) begin
      for (int i = 0; i < ENDS; i++) begin
        for (int n = 0; n < 3; n++) begin
          hits[p][i][n] = discard[i][n].valid && discard[i][n].port == 6'(p);
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    for (int p = 0; p < ENDS; p++) begin
      relay[p].inactive <= |(hits[p] & inactive);
      relay[p].too_long <= |(hits[p] & too_long);
      relay[p].life     <= |(hits[p] & life);
      relay[p].hoq_life <= |(hits[p] & hoq_life);
      relay[p].no_route <= no_route[p];
      relay[p].no_vl    <= no_vl[p];
      relay[p].loop     <= loop[p];
      relay[p].discard  <= backlog_q[p] != '0;
      count_q[p]        <= 7'($countones(hits[p]));
      backlog_q[p]      <= backlog_q[p] + 16'(count_q[p]) - 16'(backlog_q[p] != '0);
      if (rst) begin
        relay[p]     <= '0;
        count_q[p]   <= '0;
        backlog_q[p] <= '0;
      end
    end
  end
endmodule
