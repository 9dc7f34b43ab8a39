-F ../stream/kumi_sync.f
kumi_sata_mail.sv
