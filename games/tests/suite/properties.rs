//! Properties that hold in every game of the catalogue, tried on seeded positions: a short run of what the fuzzer does.

use fibfob_game_properties::{PositionSource, Property, encoded};
use fibfob_games::GameId;
use rand::Rng;

use crate::seeded;

/// The number of bytes a position is made from; zeros follow for a larger one.
const BYTES: usize = 256;

/// The factor by which fewer altered positions are tried: in some games each needs a table of its own.
const ALTERED_FEWER: usize = 4;

/// Tries a property on so many starts of each kind, of every game. More than half of them must be of use.
fn check_property(seed: u64, times: usize, property: Property) {
    let mut rng = seeded(seed);
    let mut bytes = [0; BYTES];
    for &game in GameId::ALL {
        for kind in [
            PositionSource::Start,
            PositionSource::WideStart,
            PositionSource::Altered,
        ] {
            let mut tried = 0;
            let times = if kind == PositionSource::Altered {
                times / ALTERED_FEWER
            } else {
                times
            };
            for _ in 0..times {
                rng.fill_bytes(&mut bytes);
                tried += usize::from(property(&encoded(game, kind, &bytes)).is_some());
            }
            let enough = kind == PositionSource::Altered || tried > times / 2;
            assert!(enough, "{game}: only {tried} of {kind:?} were of use");
        }
    }
}

#[test]
fn reading_what_was_written_gives_the_same() {
    check_property(11, 100, fibfob_game_properties::written_is_read);
}

#[test]
fn listed_moves_are_those_that_may_be_played() {
    check_property(12, 100, fibfob_game_properties::listed_is_playable);
}

#[test]
fn the_nimber_is_the_mex_of_the_options() {
    check_property(13, 100, fibfob_game_properties::nimber_is_mex);
}

#[test]
fn a_winning_move_leads_to_p() {
    check_property(14, 100, fibfob_game_properties::winning_leads_to_p);
}

#[test]
fn no_move_wins_from_p_and_all_that_win_are_found() {
    check_property(15, 100, fibfob_game_properties::no_win_from_p);
}

#[test]
fn what_is_unknown_has_a_reason() {
    check_property(16, 100, fibfob_game_properties::unknown_is_honest);
}

#[test]
fn moves_to_a_value_are_all_moves_to_it() {
    check_property(17, 60, fibfob_game_properties::moves_to_a_value);
}

#[test]
fn the_longest_play_is_that_of_the_best_option_and_one_more() {
    check_property(18, 100, fibfob_game_properties::longest_play_is_exact);
}

#[test]
fn every_play_ends_within_its_bound() {
    check_property(19, 20, fibfob_game_properties::plays_end);
}

#[test]
fn every_position_is_answered() {
    check_property(20, 40, fibfob_game_properties::any_position_is_answered);
}
