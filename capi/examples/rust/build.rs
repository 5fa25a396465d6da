// Links libaoso, which pkg-config finds, and lets the program find it where it lies.
use std::process::Command;

fn main() {
    let found = Command::new("pkg-config").args(["--variable=libdir", "aoso"]).output().expect("pkg-config runs");
    assert!(found.status.success(), "pkg-config does not find aoso; set PKG_CONFIG_PATH");
    let folder = String::from_utf8(found.stdout).expect("a path in UTF-8");
    println!("cargo:rustc-link-search=native={}", folder.trim());
    println!("cargo:rustc-link-lib=dylib=aoso");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.trim());
}
