// SPDX-License-Identifier: Apache-2.0
//
// Event counters of a Serial ATA port: 32-bit totals in a memory, one of them updated in a cycle.
//
// rsp, rsp_status: a response; counter rsp_status counts it. At most every fourth cycle, and one in
//   the first 32 after reset.
// ev: bit i is counted by counter 12 + i. FEW events come no more than seven times in 32 cycles,
//   the others (MANY) at any rate. Nothing is lost: each counter of ev has its turn at least every
//   32 cycles, responses go first, and a few bits hold what is pending.
// req, req_is_wr, req_index: an access, as of kumi_cdc_counter_read, one at a time; rd_ack with
//   rd_data, or wr_ack, some cycles later. The total then includes every event up to five cycles
//   before the answer. Writes are acknowledged and ignored. Totals start from zero at reset.
module kumi_sata_counters #(
    parameter int N = 20,  // bits of ev, at most 20
    parameter logic [N-1:0] MANY = '0
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         rsp,
    input  logic [  3:0] rsp_status,
    input  logic [N-1:0] ev,
    input  logic         req,
    input  logic         req_is_wr,
    input  logic [  4:0] req_index,
    output logic         rd_ack,
    output logic [ 31:0] rd_data,
    output logic         wr_ack
);
  localparam int FIRST = 12;  // counter of ev[0]
  localparam int PEND_W = 6;

  // Whose turn it is: a response, an access, or the next one in rotation. In the first round after
  // reset all totals are cleared.
  logic clear_q, rsp_q, rd_q, take, read, turn;
  logic take1_q, read1_q, visit1_q, clear1_q, busy1, busy_q, reading_q;  // the next two stages
  logic [3:0] status_q;
  logic [4:0] turn_q, rd_index_q, index, index1_q, index_q;
  logic [PEND_W-1:0] add, add_q;
  logic [N-1:0] visit;
  logic [PEND_W-1:0] pend_q[N];

  // A total is not read before it is written: whose turn it is waits for a cycle.
  assign take  = rsp_q && !clear_q && !(busy1 && index1_q == {1'b0, status_q});
  assign read  = rd_q && !clear_q && !take && !(busy1 && index1_q == rd_index_q);
  assign turn  = !take && !read && !(busy1 && index1_q == turn_q);
  assign index = take ? {1'b0, status_q} : read ? rd_index_q : turn_q;

  assign busy1 = take1_q || visit1_q;

  for (genvar i = 0; i < N; i++) begin : gen_pending
    localparam int PLANES = MANY[i] ? PEND_W : 3;
    logic [  PLANES:0] carry;  // written out, as three bits are not worth a carry chain
    logic [PLANES-1:0] kept;
    assign visit[i] = visit1_q && index1_q == 5'(FIRST + i);
    assign kept = visit[i] ? '0 : pend_q[i][PLANES-1:0];
    assign carry[0] = ev[i];
    for (genvar b = 0; b < PLANES; b++) begin : gen_carry
      assign carry[b+1] = kept[b] && carry[b];
    end
    logic unused;
    assign unused = carry[PLANES];
    always_ff @(posedge clk) begin
      pend_q[i] <= PEND_W'(kept ^ carry[PLANES-1:0]);
      if (rst) pend_q[i] <= '0;
    end
  end
  always_comb begin
    add = '0;
    for (int i = 0; i < N; i++) if (visit[i]) add |= pend_q[i];
    if (take1_q) add = PEND_W'(1);
  end

  (* ram_style = "distributed" *) logic [31:0] total[32];
  logic [31:0] old_q, sum;

  assign sum = old_q + 32'(add_q);
  assign rd_data = sum;
  assign rd_ack = reading_q;

  always_ff @(posedge clk) begin
    if (rsp) begin
      rsp_q    <= 1'b1;
      status_q <= rsp_status;
    end else if (take) begin
      rsp_q <= 1'b0;
    end
    if (turn) begin
      turn_q <= turn_q == 5'(FIRST + N - 1) && !clear_q ? 5'(FIRST) : turn_q + 1'b1;
      if (turn_q == '1) begin
        turn_q  <= 5'(FIRST);
        clear_q <= 1'b0;
      end
    end
    take1_q   <= take;
    read1_q   <= read;
    visit1_q  <= turn || read;
    clear1_q  <= clear_q;
    index1_q  <= index;

    old_q     <= clear1_q ? '0 : total[index1_q];
    add_q     <= add;
    index_q   <= index1_q;
    busy_q    <= busy1;
    reading_q <= read1_q;

    wr_ack    <= req && req_is_wr;
    if (read) rd_q <= 1'b0;
    if (req && !req_is_wr) begin
      rd_q       <= 1'b1;
      rd_index_q <= req_index;
    end
    if (rst) begin
      clear_q   <= 1'b1;
      rsp_q     <= 1'b0;
      rd_q      <= 1'b0;
      turn_q    <= '0;
      take1_q   <= 1'b0;
      read1_q   <= 1'b0;
      visit1_q  <= 1'b0;
      busy_q    <= 1'b0;
      reading_q <= 1'b0;
      wr_ack    <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (busy_q) total[index_q] <= sum;
  end
endmodule
