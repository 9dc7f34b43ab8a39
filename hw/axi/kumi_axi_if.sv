// SPDX-License-Identifier: Apache-2.0
//
// AXI4 bundle of a memory (ARM IHI 0022E): the five channels with the signals that memories use.
// lock, cache, prot, qos, region and user are omitted; a flat shell ties them off.
//
// Handshake: on each channel a transfer happens on a rising clk edge with valid and ready high;
//   valid never waits for ready and holds its signals until the transfer.
// Modports: mst and slv have all channels. A unit that only writes takes mst_wr, one that only
//   reads mst_rd; the two may share one bundle. slv_wr and slv_rd are their other ends.
interface kumi_axi_if #(
    parameter int DATA_W = 64,  // bits of data: 32 to 1024, a power of two
    parameter int ADDR_W = 32,  // bits of a byte address
    parameter int ID_W   = 1    // bits of a transaction id
);
  localparam int STRB_W = DATA_W / 8;

  logic [  ID_W-1:0] awid;
  logic [ADDR_W-1:0] awaddr;
  logic [       7:0] awlen;  // beats less one
  logic [       2:0] awsize;  // bytes of a beat, logarithm
  logic [       1:0] awburst;  // 0 FIXED, 1 INCR, 2 WRAP
  logic              awvalid;
  logic              awready;
  logic [DATA_W-1:0] wdata;
  logic [STRB_W-1:0] wstrb;
  logic              wlast;
  logic              wvalid;
  logic              wready;
  logic [  ID_W-1:0] bid;
  logic [       1:0] bresp;  // 0 OKAY, 1 EXOKAY, 2 SLVERR, 3 DECERR
  logic              bvalid;
  logic              bready;
  logic [  ID_W-1:0] arid;
  logic [ADDR_W-1:0] araddr;
  logic [       7:0] arlen;
  logic [       2:0] arsize;
  logic [       1:0] arburst;
  logic              arvalid;
  logic              arready;
  logic [  ID_W-1:0] rid;
  logic [DATA_W-1:0] rdata;
  logic [       1:0] rresp;
  logic              rlast;
  logic              rvalid;
  logic              rready;

  modport mst(
      output awid, awaddr, awlen, awsize, awburst, awvalid, wdata, wstrb, wlast, wvalid, bready,
      output arid, araddr, arlen, arsize, arburst, arvalid, rready,
      input awready, wready, bid, bresp, bvalid, arready, rid, rdata, rresp, rlast, rvalid
  );
  modport slv(
      input awid, awaddr, awlen, awsize, awburst, awvalid, wdata, wstrb, wlast, wvalid, bready,
      input arid, araddr, arlen, arsize, arburst, arvalid, rready,
      output awready, wready, bid, bresp, bvalid, arready, rid, rdata, rresp, rlast, rvalid
  );
  modport mst_wr(
      output awid, awaddr, awlen, awsize, awburst, awvalid, wdata, wstrb, wlast, wvalid, bready,
      input awready, wready, bid, bresp, bvalid
  );
  modport slv_wr(
      input awid, awaddr, awlen, awsize, awburst, awvalid, wdata, wstrb, wlast, wvalid, bready,
      output awready, wready, bid, bresp, bvalid
  );
  modport mst_rd(
      output arid, araddr, arlen, arsize, arburst, arvalid, rready,
      input arready, rid, rdata, rresp, rlast, rvalid
  );
  modport slv_rd(
      input arid, araddr, arlen, arsize, arburst, arvalid, rready,
      output arready, rid, rdata, rresp, rlast, rvalid
  );

  // A module may ignore parts of the bundle; this keeps lint quiet about it in one place.
  logic unused;
  assign unused = ^{awid, awaddr, awlen, awsize, awburst, awvalid, awready, wdata, wstrb, wlast,
                    wvalid, wready, bid, bresp, bvalid, bready, arid, araddr, arlen, arsize,
                    arburst, arvalid, arready, rid, rdata, rresp, rlast, rvalid, rready};
endinterface
