//! Laws that hold in every game of the catalogue, tried on seeded positions: a short run of what the fuzzer does.

use fibfob_games::GameId;
use fibfob_laws::{Kind, Law, encoded};
use rand::Rng;

use crate::seeded;

/// How many bytes a position is made from: a larger one is made from zeros past them.
const BYTES: usize = 256;

/// How many times fewer altered positions are tried: in some games each needs a table of its own.
const ALTERED_FEWER: usize = 4;

/// Tries a law on so many starts of each kind, of every game. More than half of them must be of use.
fn try_law(seed: u64, times: usize, law: Law) {
    let mut rng = seeded(seed);
    let mut bytes = [0; BYTES];
    for &game in GameId::ALL {
        for kind in [Kind::Start, Kind::WideStart, Kind::Altered] {
            let mut tried = 0;
            let times = if kind == Kind::Altered {
                times / ALTERED_FEWER
            } else {
                times
            };
            for _ in 0..times {
                rng.fill_bytes(&mut bytes);
                tried += usize::from(law(&encoded(game, kind, &bytes)).is_some());
            }
            let enough = kind == Kind::Altered || tried > times / 2;
            assert!(enough, "{game}: only {tried} of {kind:?} were of use");
        }
    }
}

#[test]
fn reading_what_was_written_gives_the_same() {
    try_law(11, 100, fibfob_laws::written_is_read);
}

#[test]
fn listed_moves_are_those_that_may_be_played() {
    try_law(12, 100, fibfob_laws::listed_is_playable);
}

#[test]
fn the_nimber_is_the_mex_of_the_options() {
    try_law(13, 100, fibfob_laws::nimber_is_mex);
}

#[test]
fn a_winning_move_leads_to_p() {
    try_law(14, 100, fibfob_laws::winning_leads_to_p);
}

#[test]
fn no_move_wins_from_p_and_all_that_win_are_found() {
    try_law(15, 100, fibfob_laws::no_win_from_p);
}

#[test]
fn what_is_unknown_has_a_reason() {
    try_law(16, 100, fibfob_laws::unknown_is_honest);
}

#[test]
fn moves_to_a_value_are_all_moves_to_it() {
    try_law(17, 60, fibfob_laws::moves_to_a_value);
}

#[test]
fn the_longest_play_is_that_of_the_best_option_and_one_more() {
    try_law(18, 100, fibfob_laws::longest_play_is_exact);
}

#[test]
fn every_play_ends_within_its_bound() {
    try_law(19, 20, fibfob_laws::plays_end);
}

#[test]
fn every_position_is_answered() {
    try_law(20, 40, fibfob_laws::any_position_is_answered);
}
