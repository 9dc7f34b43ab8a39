// SPDX-License-Identifier: Apache-2.0
//
// Descriptors and completions of kumi_dma.
package kumi_dma_pkg;

  // How a descriptor ended.
  localparam logic [3:0] CODE_OK = 4'd0;
  localparam logic [3:0] CODE_SLVERR = 4'd1;  // the memory answered SLVERR
  localparam logic [3:0] CODE_DECERR = 4'd2;  // no memory at the address (DECERR)
  localparam logic [3:0] CODE_ILLEGAL = 4'd3;  // length 0, or bits set that must be zero

  // Last word of a descriptor. Software writes eop, sop, irq and dest, the rest zero.
  typedef struct packed {
    logic done;  // the descriptor is completed
    logic [10:0] zero_hi;
    logic [3:0] code;  // CODE_*
    logic [7:0] dest;  // send: tdest of the packet; completion of receive: its tid
    logic [3:0] zero_lo;
    logic bad;  // completion of receive: the stream marked the packet bad
    logic irq;  // report the completion at once
    logic sop;  // first of its packet; ignored when sending
    logic eop;  // last of its packet
  } dma_flags_t;

  // A descriptor as it lies in memory, byte 0 in bits 7:0. A completion overwrites the upper half.
  typedef struct packed {
    dma_flags_t  flags;
    logic [7:0]  zero;
    logic [23:0] length;  // bytes: send: of the piece; receive: of the buffer; completion: moved
    logic [63:0] addr;
  } dma_desc_t;

  // A completion on its way to memory.
  typedef struct packed {
    logic [15:0] count;   // number of the descriptor since the ring was started
    logic [23:0] length;
    logic [3:0]  code;
    logic [7:0]  dest;
    logic        bad;
    logic        irq;
    logic        sop;
    logic        eop;
  } dma_completion_t;

  localparam int DESC_W = $bits(dma_desc_t);
  localparam int COMPLETION_W = $bits(dma_completion_t);

  // CODE_* of an AXI response.
  function automatic logic [3:0] resp_code(input logic [1:0] resp);
    return !resp[1] ? CODE_OK : resp[0] ? CODE_DECERR : CODE_SLVERR;
  endfunction

  // Whether a descriptor has bits set that must be zero, or length 0. beyond: address bits are set
  // beyond those of the engine.
  function automatic logic desc_illegal(input logic [31:0] flags, input logic [31:0] length,
                                        input logic beyond);
    return (flags & 32'hFFFF_00F8) != '0 || length[31:24] != '0 || length == '0 || beyond;
  endfunction

endpackage
