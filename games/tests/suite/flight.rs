//! Today's flight: every day has one, won, not long, and the same for everybody.

use std::collections::BTreeMap;

use fibfob_games::{Budget, Flight, GameId, Outcome};

/// 2026-11-26.
const FIRST_DAY: u32 = 20_783;

fn flight(day: u32) -> Flight {
    Flight::of_day(day, &mut Budget::of_question()).unwrap()
}

#[test]
fn every_day_has_a_flight_that_is_won_and_not_long() {
    let mut days: BTreeMap<GameId, Vec<u128>> = BTreeMap::new();
    for day in FIRST_DAY..FIRST_DAY + 720 {
        let flight = flight(day);
        assert_eq!(flight.number, day - FIRST_DAY + 1);
        assert_eq!(
            flight.position.outcome(),
            Some(Outcome::N),
            "{}",
            flight.number
        );
        assert!(flight.position.check_start().is_ok());
        let longest = flight.position.longest_play();
        assert!(
            (4..=60).contains(&longest),
            "{} {}: {longest}",
            flight.game,
            flight.position
        );
        days.entry(flight.game).or_default().push(longest);
    }
    assert!(
        GameId::ALL.iter().all(|game| days[game].len() == 40),
        "all games take turns"
    );
    assert_eq!(flight(FIRST_DAY), flight(0));
    println!("{days:?}");
}

#[test]
fn the_first_flight_stays_what_it_was() {
    let flight = flight(FIRST_DAY);
    assert_eq!((flight.number, flight.game), (1, GameId::FibFob));
    assert_eq!(
        flight.position.to_string(),
        "g6@1 time=5 nuggets=1 fib=9 fob=15"
    );
}
