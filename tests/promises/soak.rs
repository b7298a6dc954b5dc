//! The soak test at a small size: its clients play, its figures are right, its graph is
//! well-formed. `cargo run --release --bin soak` is the long run.

use std::time::Duration;

use fibfob_tests::soak::{Memory, Sample, SoakPlan, SoakSummary, csv, graph, soak};
use roxmltree::Document;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_clients_play_watch_and_leave() {
    let plan = SoakPlan {
        seed: 1,
        clients: 20,
        slow: 0.1,
        time: Duration::from_secs(8),
        warm: Duration::from_secs(2),
        every: Duration::from_millis(500),
        pause: 5..50,
        idle_after: Duration::from_secs(1),
    };
    let summary = soak(&plan, |_| {}).await;
    println!("{summary}");
    assert_eq!((summary.clients, summary.slow), (20, 2));
    assert_eq!(
        summary.steady_ended, 0,
        "who reads steadily is not sent away"
    );
    let busy = summary.last_busy();
    assert!(busy.connections > 0 && busy.connections <= 20);
    assert!(busy.moves > 0 && summary.received > busy.moves);
    // Ten clients play each other and two play bots; each plays one match after the other.
    let tables = 5 + 2;
    assert!(summary.made > 3 * tables, "one match follows the other");
    assert!(busy.rss_kib > 0 && busy.threads > 1 && busy.store_kib > 0);
    assert!(
        busy.descriptors > busy.connections,
        "each connection is one, and a store is more"
    );
    let rested = summary.samples.last().unwrap();
    assert_eq!(rested.connections, 0, "everybody has left");
    assert!(rested.seconds > summary.until);
    assert!(
        rested.descriptors < busy.descriptors,
        "and has left nothing open"
    );

    let table = csv(&summary.samples);
    let mut rows = table.lines().map(|row| row.split(',').count());
    let columns = rows.next().unwrap();
    assert!(rows.all(|cells| cells == columns));
    assert_eq!(table.lines().count(), summary.samples.len() + 1);
    is_a_picture(&summary);
}

#[test]
fn the_graph_of_a_long_soak_is_small() {
    let summary = drawn(&samples(5_000, |second| 20_000 + second % 7));
    is_a_picture(&summary);
    assert!(graph(&summary).len() < 64 * 1024);
}

#[test]
fn the_graph_of_an_empty_soak_is_well_formed() {
    is_a_picture(&drawn(&[Sample::default()]));
    is_a_picture(&drawn(&[]));
}

#[test]
fn constant_memory_with_noise_counts_as_flat() {
    let trembling = samples(1_200, |second| 20_000 + 300 * (second % 2));
    let memory = Memory::between(&trembling, 60.0, 1_200.0).unwrap();
    assert_eq!((memory.least_kib, memory.most_kib), (20_000, 20_300));
    assert!(memory.slope_kib_per_minute.abs() < 1.0);
    assert_eq!(memory.is_flat(), Some(true));
}

#[test]
fn growing_memory_is_not_flat_and_its_slope_is_reported() {
    let growing = samples(1_200, |second| 20_000 + 10 * second);
    let memory = Memory::between(&growing, 60.0, 1_200.0).unwrap();
    assert!((memory.slope_kib_per_minute - 600.0).abs() < 1e-6);
    // From 20600 KiB at the first measured second to 31990 at the last.
    assert!((memory.rise - 11_390.0 / 20_600.0).abs() < 1e-9);
    assert_eq!(memory.is_flat(), Some(false));
}

#[test]
fn a_short_run_gives_no_verdict_on_memory() {
    let short = samples(300, |_| 20_000);
    let memory = Memory::between(&short, 0.0, 300.0).unwrap();
    assert_eq!(memory.is_flat(), None);
}

#[test]
fn samples_outside_the_measured_span_do_not_count() {
    let burst = samples(600, |second| {
        if (100..500).contains(&second) {
            20_000
        } else {
            90_000
        }
    });
    let memory = Memory::between(&burst, 100.0, 499.0).unwrap();
    assert_eq!((memory.least_kib, memory.most_kib), (20_000, 20_000));
    assert_eq!(
        Memory::between(&burst, 599.0, 700.0),
        None,
        "one sample has no slope"
    );
    assert_eq!(Memory::between(&[], 0.0, 1.0), None);
}

/// One sample a second.
fn samples(seconds: u64, rss_kib: impl Fn(u64) -> u64) -> Vec<Sample> {
    let sample = |second| Sample {
        seconds: second as f64,
        rss_kib: rss_kib(second),
        connections: 2_000,
        matches: 500,
        moves_per_second: 600.0,
        ..Sample::default()
    };
    (0..seconds).map(sample).collect()
}

fn drawn(samples: &[Sample]) -> SoakSummary {
    SoakSummary {
        clients: 2_000,
        slow: 200,
        warm: 60.0,
        until: samples.last().map_or(0.0, |last| last.seconds),
        memory: None,
        samples: samples.to_vec(),
        made: 0,
        received: 0,
        steady_ended: 0,
    }
}

/// Well-formed, with a title, three named panels, and every curve inside it.
fn is_a_picture(summary: &SoakSummary) {
    let picture = graph(summary);
    let document = Document::parse(&picture).unwrap();
    let elements = |name| {
        document
            .descendants()
            .filter(move |node| node.has_tag_name(name))
    };
    let svg = "http://www.w3.org/2000/svg";
    let named = |name| elements((svg, name));
    assert_eq!(named("title").count(), 1);
    let texts: Vec<_> = named("text").filter_map(|node| node.text()).collect();
    for label in [
        "memory of the server, MiB",
        "moves a second",
        "minutes; shaded",
    ] {
        assert!(texts.iter().any(|text| text.starts_with(label)), "{label}");
    }
    assert_eq!(named("path").count(), 4);
    for path in named("path") {
        let numbers = path.attribute("d").unwrap();
        for number in numbers
            .split(['M', 'L', ' '])
            .filter(|number| !number.is_empty())
        {
            let number: f64 = number.parse().unwrap();
            assert!(
                (0.0..=800.0).contains(&number),
                "{number} is outside the picture"
            );
        }
    }
}
