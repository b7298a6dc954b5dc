//! The program; what it does is in the library, which also tells its command line.

fn main() -> std::process::ExitCode {
    fibfob::main()
}
