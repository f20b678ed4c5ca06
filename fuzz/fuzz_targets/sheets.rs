#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cantata_fuzz_targets::sheets::target(data));
