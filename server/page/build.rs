//! Rebuilds the crate when a file of the web page is added or removed.

fn main() {
    println!("cargo::rerun-if-changed=../web");
}
