-F ../stream/kumi_fifo.f
../mem/kumi_axi_if.sv
../stream/kumi_slice.sv
../stream/kumi_arbiter.sv
kumi_array_mem.sv
