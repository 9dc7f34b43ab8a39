kumi_axil_if.sv
kumi_axil_demux.sv
