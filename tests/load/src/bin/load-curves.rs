//! The growth curves; `tests/load/curves` builds all it needs and calls it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use fibfob_load::curves::{CURVES, Curve, CurvePlan, drawing};
use fibfob_load::{LoadArgs, LoadError, run};

/// The exit code of an interrupted run.
const INTERRUPTED: u8 = 130;

/// Runs loads of growing size, each against a server of its own, and draws what they take.
#[derive(Debug, Parser)]
#[command(name = "load-curves")]
struct CurvesArgs {
    /// File of the picture; the figures are written beside it, as `.csv`.
    #[arg(long, default_value = "load.svg")]
    out: PathBuf,
    /// The largest size of any load.
    #[arg(long, default_value_t = u32::MAX)]
    most: u32,
    /// Further options of every load, such as `--server-processor=0`.
    #[arg(last = true)]
    options: Vec<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = CurvesArgs::parse();
    let drawn = tokio::select! {
        drawn = draw(&args) => drawn,
        _ = tokio::signal::ctrl_c() => return ExitCode::from(INTERRUPTED),
    };
    match drawn {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn draw(args: &CurvesArgs) -> Result<(), Box<dyn std::error::Error>> {
    let mut curves = Vec::new();
    let mut table = "curve,size,value\n".to_owned();
    for plan in CURVES {
        curves.extend(measure(&plan, args).await?);
    }
    for curve in &curves {
        for (size, value) in &curve.points {
            table.push_str(&format!("{},{size},{value}\n", curve.title));
        }
    }
    std::fs::write(&args.out, drawing(&curves))?;
    std::fs::write(args.out.with_extension("csv"), table)?;
    println!("drawn in {}", args.out.display());
    Ok(())
}

/// Runs the loads of one plan.
async fn measure(plan: &CurvePlan, args: &CurvesArgs) -> Result<Vec<Curve>, LoadError> {
    let empty = |(title, _): &(&str, &str)| Curve {
        title: (*title).to_owned(),
        points: Vec::new(),
    };
    let mut curves: Vec<Curve> = plan.figures.iter().map(empty).collect();
    for &size in plan.sizes.iter().filter(|&&size| size <= args.most) {
        let size_text = size.to_string();
        let words = ["fibfob-load"]
            .into_iter()
            .chain(plan.arguments.iter().copied());
        let words = words.chain([plan.option, &size_text]);
        let words = words.chain(args.options.iter().map(String::as_str));
        let load = LoadArgs::try_parse_from(words);
        let load = load.map_err(|error| LoadError::Unsuitable(error.to_string()))?;
        let figures = run(&load).await?;
        eprint!("{figures}");
        for (curve, (_, name)) in curves.iter_mut().zip(plan.figures) {
            if let Some(value) = figures.get(name) {
                curve.points.push((f64::from(size), value));
            }
        }
    }
    Ok(curves)
}
