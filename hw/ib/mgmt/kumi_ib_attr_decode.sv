// SPDX-License-Identifier: Apache-2.0
//
// From class, method, attribute and modifier of a datagram to a block of attributes, or to the
// status of the error (IBTA volume 1, clauses 13.4.7, 14.2.4, 16.1.3).
//
// Latency 2 cycles, of status 3. port: the one that the datagram asks for.
module kumi_ib_attr_decode
  import kumi_ib_mgmt_pkg::*;
#(
    parameter  int NODE_TYPE = 2,
    parameter  int PORTS     = 4,
    parameter  int LFT_CAP   = 1024,
    parameter  int MFT_CAP   = 128,
    localparam int PORT_W    = $clog2(PORTS + 1)
) (
    input  logic            clk,
    input  mad_req_t        req,
    output block_e          block,
    output logic     [15:0] index,
    output logic     [ 6:0] port,
    output logic     [ 7:0] status
);
  localparam bit SWITCH = NODE_TYPE == NODE_SWITCH;
  localparam int MFT_BLOCKS = MFT_CAP / 32;
  localparam int POSITIONS = (PORTS + 16) / 16;

  block_e b;
  logic [15:0] x;
  logic [6:0] p;
  logic [7:0] s;
  logic known, settable, field_ok, known_q, settable_q, field_q;
  logic [31:0] mod;
  logic [ 4:0] attr_q;  // 0: none of those below
  logic low_q, middle_q, high_q;  // port number in mod[7:0], [15:8], [31:16]
  logic no_low_q, no_middle_q, no_most_q, arb_q, lft_q, mft_q, counter_q;

  assign mod = req.attr_mod;

  always_ff @(posedge clk) begin
    attr_q <= req.attr_id[15:5] == '0 ? req.attr_id[4:0] : '0;
    low_q <= mod[7:0] <= 8'(PORTS);
    middle_q <= mod[15:8] <= 8'(PORTS);
    high_q <= mod[31:16] <= 16'(PORTS);
    no_low_q <= mod[7:0] == '0;
    no_middle_q <= mod[15:8] == '0;
    no_most_q <= mod[30:16] == '0;
    arb_q <= mod[31:16] == 16'd1 || mod[31:16] == 16'd3;
    lft_q <= mod < 32'(LFT_CAP / 64);
    mft_q <= mod[27:9] == '0 && mod[8:0] < 9'(MFT_BLOCKS) && 5'(mod[31:28]) < 5'(POSITIONS);
    counter_q <= req.data[23:16] != '0 && req.data[23:16] <= 8'(PORTS);
  end

  // A port of a modifier: of a channel adapter 0 is the one at which the datagram arrived.
  function automatic logic [6:0] port_of(input logic [7:0] number, input logic [6:0] arrival);
    return !SWITCH && number == '0 ? arrival : number[6:0];
  endfunction

  always_comb begin
    b = BLK_NODE_INFO;
    p = req.port;
    x = '0;
    known = 1'b1;
    settable = 1'b1;
    field_ok = 1'b1;
    if (req.qp1) begin
      p = req.data[22:16];
      field_ok = counter_q;
      unique case (attr_q)
        ATTR_CLASS_INFO[4:0]: begin
          b = BLK_CLASS_INFO;
          settable = 1'b0;
          field_ok = 1'b1;
        end
        ATTR_COUNTERS[4:0]: b = BLK_COUNTERS;
        ATTR_COUNTERS_EXT[4:0]: b = BLK_COUNTERS_EXT;
        default: known = 1'b0;
      endcase
    end else begin
      unique case (attr_q)
        ATTR_NODE_DESC[4:0]: begin
          b = BLK_NODE_DESC;
          settable = 1'b0;
        end
        ATTR_NODE_INFO[4:0]: settable = 1'b0;
        ATTR_SWITCH_INFO[4:0]: begin
          b = BLK_SWITCH_INFO;
          known = SWITCH;
        end
        ATTR_GUID_INFO[4:0]: begin
          b = BLK_GUIDS;
          p = SWITCH ? '0 : req.port;
          x = 16'(p);
          field_ok = no_low_q && no_middle_q && no_most_q && !mod[31];
        end
        ATTR_PORT_INFO[4:0]: begin
          b = BLK_PORT_INFO;
          p = port_of(mod[7:0], req.port);
          x = 16'(p);
          field_ok = low_q && no_middle_q && no_most_q;
        end
        ATTR_P_KEYS[4:0]: begin
          b = BLK_P_KEYS;
          p = SWITCH ? mod[22:16] : req.port;
          x = 16'(p);
          field_ok = no_low_q && no_middle_q && (!SWITCH || high_q);
        end
        ATTR_SL2VL[4:0]: begin
          b = BLK_SL2VL;
          p = SWITCH ? mod[6:0] : req.port;
          x = SWITCH ? 16'({mod[8+:PORT_W], mod[0+:PORT_W]}) : 16'(p);
          field_ok = !SWITCH || (middle_q && low_q);
        end
        ATTR_VL_ARB[4:0]: begin
          b = mod[17] ? BLK_ARB_HIGH : BLK_ARB_LOW;
          p = port_of(mod[7:0], req.port);
          x = 16'(p);
          field_ok = arb_q && no_middle_q && low_q;
        end
        ATTR_LFT[4:0]: begin
          b = BLK_LFT;
          x = mod[15:0];
          known = SWITCH;
          field_ok = lft_q;
        end
        ATTR_MFT[4:0]: begin
          b = BLK_MFT;
          x = 16'(mod[8:0]) + 16'(mod[31:28]) * 16'(MFT_BLOCKS);
          known = SWITCH;
          field_ok = mft_q;
        end
        default: known = 1'b0;
      endcase
    end
  end

  always_ff @(posedge clk) begin
    block <= b;
    index <= x;
    port <= p;
    known_q <= known;
    settable_q <= settable;
    field_q <= field_ok;
    status <= s;
  end

  always_comb begin
    s = STATUS_OK;
    if (req.class_ver != 8'd1) s = STATUS_BAD_VERSION;
    else if (req.method != METHOD_GET && req.method != METHOD_SET
             && (req.qp1 || req.method != METHOD_TRAP_REPRESS))
      s = STATUS_BAD_METHOD;
    else if (req.method != METHOD_TRAP_REPRESS) begin
      if (!known_q || (req.method == METHOD_SET && !settable_q)) s = STATUS_BAD_ATTRIBUTE;
      else if (!field_q) s = STATUS_BAD_FIELD;
    end
  end

  logic unused;
  assign unused = ^{req};
endmodule
