// SPDX-License-Identifier: Apache-2.0
//
// Lets a register block in `clk` read counters that live in another clock.
//
// req, req_is_wr, req_index: pulse and what it asks for, as an external register region makes them;
//   rd_ack with rd_data, or wr_ack, some cycles of both clocks later. One request at a time.
// m_*: the same in m_clk, for kumi_event_counters.
// The index and the data cross while they cannot change: constrain as paths of one period.
module kumi_cdc_counter_read (
    input  logic        clk,
    input  logic        rst,
    input  logic        req,
    input  logic        req_is_wr,
    input  logic [ 5:0] req_index,
    output logic        rd_ack,
    output logic [31:0] rd_data,
    output logic        wr_ack,

    input  logic        m_clk,
    input  logic        m_rst,
    output logic        m_req,
    output logic        m_req_is_wr,
    output logic [ 5:0] m_req_index,
    input  logic        m_rd_ack,
    input  logic [31:0] m_rd_data,
    input  logic        m_wr_ack
);
  // A toggle asks, a toggle answers.
  logic ask_q, answer_q, asked, answered, asked_q, answered_q;
  logic write_q;
  logic [5:0] index_q;
  logic [31:0] data_q;

  kumi_cdc_sync u_ask (
      .clk(m_clk),
      .d  (ask_q),
      .q  (asked)
  );
  kumi_cdc_sync u_answer (
      .clk,
      .d(answer_q),
      .q(answered)
  );

  always_ff @(posedge clk) begin
    if (req) begin
      ask_q   <= !ask_q;
      write_q <= req_is_wr;
      index_q <= req_index;
    end
    answered_q <= answered;
    rd_ack <= answered != answered_q && !write_q;
    wr_ack <= answered != answered_q && write_q;
    if (answered != answered_q) rd_data <= data_q;
    if (rst) begin
      ask_q <= 1'b0;
      answered_q <= 1'b0;
      rd_ack <= 1'b0;
      wr_ack <= 1'b0;
    end
  end

  always_ff @(posedge m_clk) begin
    asked_q <= asked;
    m_req   <= asked != asked_q;
    if (m_rd_ack || m_wr_ack) begin
      answer_q <= !answer_q;
      data_q   <= m_rd_data;
    end
    if (m_rst) begin
      asked_q <= 1'b0;
      answer_q <= 1'b0;
      m_req <= 1'b0;
    end
  end
  assign m_req_is_wr = write_q;
  assign m_req_index = index_q;
endmodule
