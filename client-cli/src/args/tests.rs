//! The command line: what it accepts, what that means, and what it refuses.

use clap::CommandFactory;

use fibfob_protocol::{FirstMoveRule, MatchSetup, Opponent, Start, TimeControl, Visibility};

use super::near_miss::MEANT;
use super::*;

fn play(line: &str) -> PlayArgs {
    match parse(line).unwrap().command {
        CliCommand::Play(args) => *args,
        other => panic!("{other:?}"),
    }
}

/// Parses a line as a shell does: spaces separate arguments, quotes keep them together.
fn parse(line: &str) -> Result<Cli, clap::Error> {
    let mut words = vec![String::from("fibfob")];
    for (index, part) in line.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    Cli::try_parse_from(words)
}

fn setup(line: &str) -> MatchSetup {
    play(line).setup.setup().unwrap()
}

#[test]
fn claps_own_checks_pass() {
    Cli::command().debug_assert();
}

#[test]
fn every_option_is_in_a_group_and_the_short_help_fits_a_window() {
    let mut command = Cli::command();
    let play = command.find_subcommand_mut("play").unwrap();
    for arg in play.get_arguments() {
        assert!(arg.get_help_heading().is_some(), "{}", arg.get_id());
    }
    let lines = play.render_help().to_string().lines().count();
    assert!(lines <= 60, "{lines} lines");
}

#[test]
fn play_without_options_is_an_open_public_fib_fob_match() {
    let expected = MatchSetup {
        game: "fib-fob".to_owned(),
        start: Start::default(),
        opponent: Opponent::Open,
        first: FirstMoveRule::Random,
        visibility: Visibility::Public,
        learning: false,
        programs: false,
        time: TimeControl::None,
        grace_ms: None,
    };
    assert_eq!(setup("play"), expected);
    assert_eq!(setup("play --random"), expected);
}

#[test]
fn a_player_who_gives_the_start_moves_first_by_default() {
    let start = "'g6@3 time=15 nuggets=5 fib=12 fob=9'";
    let made = setup(&format!("play --start {start} --auto"));
    assert_eq!(made.first, FirstMoveRule::Me);
    assert_eq!(
        made.start,
        Start::Position("g6@3 time=15 nuggets=5 fib=12 fob=9".to_owned())
    );
    let other = setup(&format!("play --start {start} --first other"));
    assert_eq!(other.first, FirstMoveRule::Other);
}

#[test]
fn clocks_a_grace_period_and_a_choice_are_part_of_the_setup() {
    let made = setup("play --first choose --time 5m+3s --grace 2m --random time=1-9");
    assert_eq!(made.first, FirstMoveRule::Choose);
    let blitz = TimeControl::Match {
        initial_ms: 300_000,
        increment_ms: 3_000,
    };
    assert_eq!((made.time, made.grace_ms), (blitz, Some(120_000)));
    assert_eq!(setup("play --time none").time, TimeControl::None);
    let each_ms = 30_000;
    assert_eq!(
        setup("play --time 30s/move").time,
        TimeControl::Move { each_ms }
    );
    assert_eq!(
        play("play --game nim --start 3,4,5 --first choose")
            .setup
            .setup(),
        Err(UsageError::ChoiceOfKnownStart)
    );
}

#[test]
fn random_takes_ranges_up_to_the_next_option() {
    let made = setup("play --random time=0-63 nuggets=5 fib=1-3 --bot casual --private");
    let ranges = [("time", (0, 63)), ("nuggets", (5, 5)), ("fib", (1, 3))];
    let ranges = ranges.map(|(name, range)| (name.to_owned(), range));
    assert_eq!(made.start, Start::Random(ranges.into_iter().collect()));
    assert_eq!(made.opponent, Opponent::Bot(Level::Casual));
    assert_eq!(made.visibility, Visibility::Private);
}

#[test]
fn a_wild_start_is_drawn_from_wider_ranges_and_may_be_chosen_on() {
    let made = setup("play --start wild --first choose");
    let Start::Random(ranges) = made.start else {
        panic!("{:?}", made.start);
    };
    assert_eq!((ranges["time"], ranges["fib"]), ((0, 31), (0, 15)));
    assert_eq!(setup("play --start wild").first, FirstMoveRule::Random);
}

#[test]
fn auto_and_bot_have_a_default_level() {
    assert_eq!(
        play("play --auto").auto,
        Some(Autoplay::Solver(Level::Perfect))
    );
    assert_eq!(
        play("play --auto=novice").auto,
        Some(Autoplay::Solver(Level::Novice))
    );
    assert_eq!(play("play --auto=random").auto, Some(Autoplay::Random));
    assert_eq!(setup("play --bot").opponent, Opponent::Bot(Level::Casual));
    assert_eq!(setup("play --friend").opponent, Opponent::Friend);
}

#[test]
fn ways_into_a_match_exclude_each_other() {
    let joins = play("play --join http://host:99/m/k7m2qx --auto");
    assert_eq!(joins.join.unwrap().code.as_str(), "K7M2QX");
    assert_eq!((joins.resume, joins.seat), (None, None));
    let resumes = play("play --resume K7M2QX --seat joiner");
    assert_eq!(resumes.resume.unwrap().code.as_str(), "K7M2QX");
    assert_eq!((resumes.join, resumes.seat), (None, Some(Seat::Joiner)));
    for line in [
        "play --join K7M2QX --resume K7M2QX",
        "play --join K7M2QX --bot",
        "play --join K7M2QX --start a1@2",
        "play --resume K7M2QX --private",
        "play --seat joiner",
        "play --offline",
        "play --guest --identity me.json",
        "play --start a1@2 --random",
        "play --bot --friend",
        "play --join nonsense",
        "play --auto=sleepy",
        "play --pause 1s",
        "play --random time=a-b",
        "play --game chess",
        "play --time 5",
        "play --time 4s",
        "play --time 5m+11m",
        "play --grace 9s",
        "play --first later",
        "play --join K7M2QX --time 5m",
        "play --resume K7M2QX --grace 2m",
        "play --server ftp://host",
        "play --json --plain",
        "watch",
        "solve",
        "solve --batch a1@2",
        "",
    ] {
        let error = parse(line).expect_err(line);
        assert_eq!(error.exit_code(), 2, "{line}");
    }
}

#[test]
fn a_position_needs_no_quotes() {
    let solve = parse("solve g6@3 time=15 nuggets=5 --json").unwrap();
    let CliCommand::Theory(TheoryCommand::Solve(args)) = solve.command else {
        panic!("solve")
    };
    assert_eq!(args.position.join(" "), "g6@3 time=15 nuggets=5");
    assert!(args.json);
}

#[test]
fn a_server_on_the_command_line_takes_precedence_over_a_link() {
    let link: ServerUrl = "host:99".parse().unwrap();
    let common = play("play --server localhost:1").common;
    assert_eq!(
        common.server(Some(&link)).unwrap().unwrap().authority(),
        "localhost:1"
    );
    let common = play("play").common;
    assert_eq!(
        common.server(Some(&link)).unwrap().unwrap().authority(),
        "host:99"
    );
}

#[test]
fn a_near_miss_is_answered_with_the_command_that_is_meant() {
    let check = |line: &str, meant: Option<&str>| {
        let mut error = parse(line).expect_err(line);
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(near_miss(&words, &mut error).as_deref(), meant, "{line}");
        error.to_string()
    };
    check("play K7M2QX", Some("fibfob play --join K7M2QX"));
    check("join K7M2QX", Some("fibfob play --join K7M2QX"));
    check("play --auto novice", Some("fibfob play --auto=novice"));
    let listed = "fibfob play --join CODE; `fibfob matches` lists your matches with their codes";
    check("play --resume", Some(listed));
    for line in [
        "play --frolic",
        "play --server",
        "play --server http://",
        "play --time 99999h",
        "play --name 222222 --bot --friend",
        "frolic",
    ] {
        check(line, None);
    }
    check("spectate K7M2QX", Some("fibfob watch K7M2QX"));
    check("bot strong", Some("fibfob play --bot strong"));
    for (verb, _) in MEANT {
        let mut error = parse(verb).expect_err(verb);
        let meant = near_miss(&[verb.to_owned()], &mut error).unwrap();
        let said = error.to_string();
        assert!(!said.contains("similar"), "{verb}: {said}");
        let command = meant.split([' ', ',']).nth(1).unwrap();
        let known = Cli::command().find_subcommand(command).is_some();
        assert!(known, "{verb}: {meant}");
    }
}

#[test]
fn a_wrong_start_or_level_is_found_before_a_server_is_asked() {
    let start = |line: &str| play(line).setup.setup().unwrap_err().to_string();
    assert!(start("play --start z9").contains("expected a square"));
    assert!(
        start("play --game nim --start 0").contains("start"),
        "{}",
        start("play --game nim --start 0")
    );
    let level = parse("play --bot perfekt").unwrap_err().to_string();
    assert!(level.contains("'perfect'"), "{level}");
    let program = parse("play --bot Ranger").unwrap_err().to_string();
    assert!(
        program.contains("possible values: perfect, strong"),
        "{program}"
    );
}
