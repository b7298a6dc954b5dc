//! The program. The library does the work, and describes the command line.

fn main() -> std::process::ExitCode {
    fibfob::main()
}
