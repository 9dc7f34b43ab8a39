// SPDX-License-Identifier: Apache-2.0
//
// Characters of the XGMII (IEEE 802.3 clause 46).
package kumi_xgmii_pkg;

  // XGMII control characters (table 46-3).
  localparam logic [7:0] XGMII_IDLE = 8'h07;
  localparam logic [7:0] XGMII_START = 8'hFB;
  localparam logic [7:0] XGMII_TERM = 8'hFD;
  localparam logic [7:0] XGMII_ERROR = 8'hFE;
  localparam logic [7:0] XGMII_SEQ = 8'h9C;

endpackage
