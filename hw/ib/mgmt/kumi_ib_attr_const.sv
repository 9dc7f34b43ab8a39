// SPDX-License-Identifier: Apache-2.0
//
// Reset value of each word of each attribute, and which of its bits SubnSet may change (IBTA
// volume 1, clause 14.2.5). Combinational.
//
// port: of an attribute of a port; end_port: it has a LID of its own (port 0 of a switch, every
// port of the others). node_guid; a port's GUID is that plus the port, of a switch the node's.
module kumi_ib_attr_const
  import kumi_ib_link_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int NODE_TYPE = 2,
    parameter int PORTS     = 4,
    parameter int DATA_VLS  = 4,
    parameter int MTU_CAP   = 4,     // code 1 to 5
    parameter int WIDTH     = 2,     // link width: 1 1x, 2 4x
    parameter int SPEED     = 1,     // link speed: 1 2.5, 2 5, 4 10 Gb/s a lane
    parameter int LFT_CAP   = 1024,
    parameter int MFT_CAP   = 128
) (
    input  logic   [ 63:0] node_guid,
    input  logic   [511:0] description,  // first character in [511:504]
    input  block_e         block,
    input  logic   [  3:0] word,
    input  logic   [  7:0] port,
    input  logic           end_port,
    output logic   [ 31:0] value,
    output logic   [ 31:0] mask
);
  localparam bit SWITCH = NODE_TYPE == NODE_SWITCH;
  localparam logic [3:0] VL_CAP = {1'b0, vls_code(DATA_VLS)};
  localparam logic [3:0] SPEEDS = SPEED == 4 ? 4'd7 : SPEED == 2 ? 4'd3 : 4'd1;
  localparam logic [4:0] TIMEOUT = 5'd18;  // 4.096 us times 2^18: 1.07 s
  // CapabilityMask: traps of a switch, SL to VL mapping, system image GUID.
  localparam logic [31:0] CAPABILITIES = SWITCH ? 32'h0000_0848 : 32'h0000_0840;

  logic [63:0] port_guid;
  logic [ 5:0] vl;
  assign port_guid = SWITCH ? node_guid : node_guid + 64'(port);

  logic [31:0] port_info, port_mask, switch_info, switch_mask, node_info;

  always_comb begin
    port_info = '0;
    port_mask = '0;
    unique case (word)
      4'd0, 4'd1: if (end_port) port_mask = '1;  // M_Key
      4'd2: begin  // subnet prefix
        if (end_port) port_info = 32'hFE80_0000;
        if (end_port) port_mask = '1;
      end
      4'd3: if (end_port) port_mask = '1;
      4'd4: if (end_port) port_mask = '1;  // LID, MasterSMLID
      4'd5: if (end_port) port_info = CAPABILITIES;
      4'd6: if (end_port) port_mask = 32'h0000_FFFF;  // M_KeyLeasePeriod
      4'd7: port_info = {8'd0, 8'(WIDTH), 8'(WIDTH), 8'(WIDTH)};
      4'd8: begin  // LinkDownDefaultState, M_KeyProtectBits, LMC
        port_info = {SPEEDS, 4'd0, 4'd0, 4'd2, 8'd0, 4'(SPEED), SPEEDS};
        port_mask = end_port ? 32'h000F_C700 : 32'h000F_0000;
      end
      4'd9: begin  // NeighborMTU, MasterSMSL, InitType, VLHighLimit
        port_info = {4'(MTU_CAP), 4'd0, VL_CAP, 4'd0, 8'd0, 8'(ARB_ENTRIES)};
        port_mask = end_port ? 32'hFF0F_FF00 : 32'hF00F_FF00;
      end
      4'd10: begin  // VLStallCount, HOQLife, OperationalVLs, partition enforcement
        port_info = {8'(ARB_ENTRIES), 4'd0, 4'(MTU_CAP), 3'd7, TIMEOUT, VL_CAP, 4'd0};
        port_mask = 32'h0000_FFF0;
      end
      4'd11: port_mask = end_port ? 32'hFFFF_FFFF : 32'h0000_FFFF;  // M_Key, P_Key violations
      4'd12: begin  // Q_KeyViolations, SubnetTimeOut
        port_info = {16'd0, end_port ? 8'd8 : 8'd0, 3'd0, TIMEOUT};
        port_mask = end_port ? 32'hFFFF_007F : 32'hFFFF_0000;
      end
      4'd13: begin  // LocalPhyErrors, OverrunErrors
        port_info = {3'd0, 5'd8, 8'h88, 16'd0};
        port_mask = 32'h00FF_0000;
      end
      default: ;
    endcase

    switch_info = '0;
    switch_mask = '0;
    unique case (word)
      4'd0: switch_info = {16'(LFT_CAP), 16'd0};
      4'd1: begin  // LinearFDBTop
        switch_info = {16'(MFT_CAP), 16'd0};
        switch_mask = 32'h0000_FFFF;
      end
      4'd2: begin  // DefaultPort, multicast ones, LifeTimeValue
        switch_info = {24'd0, TIMEOUT, 3'd0};
        switch_mask = 32'hFFFF_FFF8;
      end
      4'd4: switch_mask = 32'h0000_FFFF;  // MulticastFDBTop
      default: ;
    endcase

    unique case (word)
      4'd0: node_info = {8'd1, 8'd1, 8'(NODE_TYPE), 8'(PORTS)};
      4'd1, 4'd3: node_info = node_guid[63:32];
      4'd2, 4'd4: node_info = node_guid[31:0];
      4'd7: node_info = {16'd32, 16'd1};  // PartitionCap, DeviceID
      4'd8: node_info = 32'd1;  // Revision
      default: node_info = '0;
    endcase

    value = '0;
    mask = '0;
    vl = '0;
    unique case (block)
      BLK_PORT_INFO: begin
        value = port_info;
        mask  = port_mask;
      end
      BLK_P_KEYS: begin
        if (word == '0) value = 32'hFFFF_0000;  // the default partition, full member
        mask = '1;
      end
      BLK_ARB_LOW, BLK_ARB_HIGH: begin
        // Lanes 0 to 7 in the low table, the others in the high one, with equal weight.
        for (int i = 0; i < 2; i++) begin
          vl = {1'b0, word, i[0]} + (block == BLK_ARB_HIGH ? 6'd8 : 6'd0);
          if (vl < 6'(DATA_VLS)) value[16*(1-i)+:16] = {4'd0, vl[3:0], 8'd32};
        end
        if (word < 4'(ARB_ENTRIES / 2)) mask = 32'h0FFF_0FFF;
        else value = '0;
      end
      BLK_GUIDS: begin
        if (end_port && word == 4'd0) value = port_guid[63:32];
        if (end_port && word == 4'd1) value = port_guid[31:0];
        if (end_port && word > 4'd1) mask = '1;
      end
      BLK_NODE_INFO: value = node_info;
      BLK_NODE_DESC: value = description[32*(15-int'(word))+:32];
      BLK_SWITCH_INFO: begin
        value = switch_info;
        mask  = switch_mask;
      end
      BLK_SL2VL: begin
        for (int i = 0; i < 8; i++) begin
          value[4*(7-i)+:4] = 4'((i + 8 * int'(word[0])) % DATA_VLS);
        end
        mask = '1;
      end
      BLK_LFT: begin
        value = '1;
        mask  = '1;
      end
      BLK_MFT: mask = '1;
      default: ;
    endcase
  end
endmodule
