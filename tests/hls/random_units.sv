// SPDX-License-Identifier: Apache-2.0
//
// Load and store units for models of random kernels, in place of hw/hls and the AXI multiplexers,
// which are two thirds of such a model's C++. Same contracts towards the kernel, less predictable:
// ready drops at random, a load sees memory at a random time between request and answer, a store
// reaches memory at a random time before `idle`.
//
// Memory is in random_memory_pkg: read from FOLDER_/memory.hex at the start; each byte stored is
// appended to FOLDER_/stores.txt. Bytes 0 and 1 have the chance in 256 that a unit takes no request in
// a cycle, and that it makes no access.
package random_memory_pkg;
  localparam int BYTES = 1 << 18;
  logic [7:0] bytes[BYTES];
  bit filled = 0;
endpackage

module random_stall #(
    parameter int PLACE = 0  // byte with the chance
) (
    input  logic clk,
    output logic stall
);
  always_ff @(posedge clk) stall <= 8'($urandom) < random_memory_pkg::bytes[PLACE];
endmodule

module random_silence (
    kumi_axi_if.mst m_axi
);
  assign m_axi.awid = '0;
  assign m_axi.awaddr = '0;
  assign m_axi.awlen = '0;
  assign m_axi.awsize = '0;
  assign m_axi.awburst = '0;
  assign m_axi.awvalid = '0;
  assign m_axi.wdata = '0;
  assign m_axi.wstrb = '0;
  assign m_axi.wlast = '0;
  assign m_axi.wvalid = '0;
  assign m_axi.bready = '0;
  assign m_axi.arid = '0;
  assign m_axi.araddr = '0;
  assign m_axi.arlen = '0;
  assign m_axi.arsize = '0;
  assign m_axi.arburst = '0;
  assign m_axi.arvalid = '0;
  assign m_axi.rready = '0;
endmodule

module kumi_axi_mux #(
    parameter int N           = 4,
    parameter int BURST_BYTES = 512
) (
    input logic clk,
    input logic rst,
    kumi_axi_if.slv s_axi[N],
    kumi_axi_if.mst m_axi
);
  random_silence u_silence (.m_axi);
endmodule

module kumi_hls_load #(
    parameter int BYTES = 4,
    parameter int DEPTH = 64,
    parameter int BURST = 8
) (
    input logic clk,
    input logic rst,
    input logic [31:0] req_addr,
    input logic req_valid,
    output logic req_ready,
    output logic [8*BYTES-1:0] rsp_data,
    output logic rsp_valid,
    input logic rsp_ready,
    output logic failed,
    kumi_axi_if.mst m_axi
);
  logic [17:0] addr_q[16];
  logic [8*BYTES-1:0] data_q[16];
  logic [4:0] asked_q, read_q, taken_q;  // requests, loads that saw memory, answers
  logic [4:0] open;
  logic late, busy;

  random_stall #(
      .PLACE(1)
  ) u_late (
      .clk,
      .stall(late)
  );
  random_stall u_busy (
      .clk,
      .stall(busy)
  );
  random_silence u_silence (.m_axi);
  assign open = asked_q - taken_q;
  assign req_ready = !busy && !open[4];
  assign rsp_valid = read_q != taken_q;
  assign rsp_data = data_q[taken_q[3:0]];
  initial begin
    if (!random_memory_pkg::filled) $readmemh("FOLDER_/memory.hex", random_memory_pkg::bytes);
    random_memory_pkg::filled = 1;
  end
  always_ff @(posedge clk) begin
    if (req_valid && req_ready) begin
      addr_q[asked_q[3:0]] <= req_addr[17:0];
      asked_q <= asked_q + 1'b1;
      if (|req_addr[31:18]) failed <= 1'b1;
    end
    if (asked_q != read_q && !late) begin
      for (int i = 0; i < BYTES; i++)
      data_q[read_q[3:0]][8*i+:8] <= random_memory_pkg::bytes[addr_q[read_q[3:0]]+18'(i)];
      read_q <= read_q + 1'b1;
    end
    if (rsp_valid && rsp_ready) taken_q <= taken_q + 1'b1;
    if (rst) begin
      asked_q <= '0;
      read_q  <= '0;
      taken_q <= '0;
      failed  <= 1'b0;
    end
  end
endmodule

module kumi_hls_store #(
    parameter int BYTES = 4,
    parameter int BURST = 8,
    parameter int WAIT  = 15
) (
    input logic clk,
    input logic rst,
    input logic [31:0] req_addr,
    input logic [8*BYTES-1:0] req_data,
    input logic [BYTES-1:0] req_strb,
    input logic req_valid,
    output logic req_ready,
    input logic flush,
    output logic idle,
    output logic failed,
    kumi_axi_if.mst m_axi
);
  typedef struct packed {
    logic [17:0] addr;
    logic [BYTES-1:0] strb;
    logic [8*BYTES-1:0] data;
  } store_t;
  store_t waiting_q[16];
  store_t first;
  logic [4:0] asked_q, done_q, open;
  logic late, busy;
  int log;

  random_stall #(
      .PLACE(1)
  ) u_late (
      .clk,
      .stall(late)
  );
  random_stall u_busy (
      .clk,
      .stall(busy)
  );
  random_silence u_silence (.m_axi);
  assign open = asked_q - done_q;
  assign req_ready = !busy && !open[4];
  assign idle = open == '0;
  assign first = waiting_q[done_q[3:0]];
  initial log = $fopen("FOLDER_/stores.txt", "a");
  always_ff @(posedge clk) begin
    if (req_valid && req_ready) begin
      waiting_q[asked_q[3:0]] <= '{addr: req_addr[17:0], strb: req_strb, data: req_data};
      asked_q <= asked_q + 1'b1;
      if (|req_addr[31:18]) failed <= 1'b1;
    end
    if (open != '0 && !late && !rst) begin
      for (int i = 0; i < BYTES; i++)
      if (first.strb[i]) begin
        random_memory_pkg::bytes[first.addr+18'(i)] <= first.data[8*i+:8];
        $fwrite(log, "%h %h\n", first.addr + 18'(i), first.data[8*i+:8]);
      end
      $fflush(log);
      done_q <= done_q + 1'b1;
    end
    if (rst) begin
      asked_q <= '0;
      done_q  <= '0;
      failed  <= 1'b0;
    end
  end
endmodule
