// SPDX-License-Identifier: Apache-2.0
//
// Block formats of 64b/66b (IEEE 802.3 figure 49-7), shared by encoder and decoder.
package kumi_pcs_10g_pkg;

  // Synchronisation header: bit 0 is first on the wire.
  localparam logic [1:0] SYNC_DATA = 2'b10;
  localparam logic [1:0] SYNC_CTRL = 2'b01;

  // Block classes of the state machines (49.2.13.2.3).
  typedef enum logic [2:0] {
    TYPE_C,  // controls or ordered sets
    TYPE_S,  // start
    TYPE_D,  // data
    TYPE_T,  // terminate
    TYPE_E   // error or not valid
  } block_type_e;

  // Block type fields.
  localparam logic [7:0] BT_C8 = 8'h1E;  // eight controls
  localparam logic [7:0] BT_C4_O4 = 8'h2D;  // four controls, ordered set
  localparam logic [7:0] BT_C4_S4 = 8'h33;  // four controls, start
  localparam logic [7:0] BT_O4_S4 = 8'h66;  // ordered set, start
  localparam logic [7:0] BT_O4_O4 = 8'h55;  // two ordered sets
  localparam logic [7:0] BT_S8 = 8'h78;  // start
  localparam logic [7:0] BT_O4_C4 = 8'h4B;  // ordered set, four controls
  localparam logic [7:0][7:0] BT_T = {
    8'hFF, 8'hE1, 8'hD2, 8'hCC, 8'hB4, 8'hAA, 8'h99, 8'h87
  };  // terminate in lane 0..7

  localparam logic [6:0] CODE_ERROR = 7'h1E;  // /E/; /I/ is zero

  // States of the transmit and receive processes (figures 49-16, 49-17). The state names the block
  // sent last; the initial state acts as PROC_C.
  typedef enum logic [1:0] {
    PROC_C,
    PROC_D,
    PROC_T,
    PROC_E
  } proc_e;

  // Next state. `t_ok`: a terminate may follow (receive: the block after it is C or S).
  function automatic proc_e proc_next(input proc_e state, input block_type_e kind,
                                      input logic t_ok);
    unique case (kind)
      TYPE_C:  return (state == PROC_D) ? PROC_E : PROC_C;
      TYPE_S:  return (state == PROC_D || state == PROC_E) ? PROC_E : PROC_D;
      TYPE_D:  return (state == PROC_D || state == PROC_E) ? PROC_D : PROC_E;
      TYPE_T:  return ((state == PROC_D || state == PROC_E) && t_ok) ? PROC_T : PROC_E;
      default: return PROC_E;
    endcase
  endfunction

endpackage
