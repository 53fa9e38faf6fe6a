#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| (sky_accel_fuzz::SFCOMPUTE.run)(bytes));
