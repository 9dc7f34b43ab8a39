// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite bundle (ARM IHI 0022), 32 bits of address and data.
//
// Handshake: on each of the five channels a transfer happens on a rising clk edge with valid and
//   ready high; valid never waits for ready and holds its signals until the transfer.
interface kumi_axil_if;
  logic [31:0] awaddr;
  logic [ 2:0] awprot;
  logic        awvalid;
  logic        awready;
  logic [31:0] wdata;
  logic [ 3:0] wstrb;
  logic        wvalid;
  logic        wready;
  logic [ 1:0] bresp;
  logic        bvalid;
  logic        bready;
  logic [31:0] araddr;
  logic [ 2:0] arprot;
  logic        arvalid;
  logic        arready;
  logic [31:0] rdata;
  logic [ 1:0] rresp;
  logic        rvalid;
  logic        rready;

  modport mst(
      output awaddr, awprot, awvalid, wdata, wstrb, wvalid, bready,
      output araddr, arprot, arvalid, rready,
      input awready, wready, bresp, bvalid, arready, rdata, rresp, rvalid
  );
  modport slv(
      input awaddr, awprot, awvalid, wdata, wstrb, wvalid, bready,
      input araddr, arprot, arvalid, rready,
      output awready, wready, bresp, bvalid, arready, rdata, rresp, rvalid
  );

  // A module may ignore parts of the bundle; this keeps lint quiet about it in one place.
  logic unused;
  assign unused = ^{awaddr, awprot, awvalid, awready, wdata, wstrb, wvalid, wready, bresp, bvalid,
                    bready, araddr, arprot, arvalid, arready, rdata, rresp, rvalid, rready};
endinterface
