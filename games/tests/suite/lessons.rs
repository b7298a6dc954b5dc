//! The solver checks what the lessons say: every position, move, goal and par.

use std::collections::BTreeSet;

use fibfob_games::{GameId, LessonPath, LessonTask, Level, Outcome, Position, lessons};

/// The most moves of a position that are followed.
const FOLLOWED_MAX: usize = 400;

/// The canonical position of this text.
fn canonical(game: GameId, text: &str, at: &str) -> Position {
    let position = game
        .read(text)
        .unwrap_or_else(|error| panic!("{at}: {text}: {error}"));
    assert_eq!(position.to_string(), text, "{at}");
    position
}

fn moves(position: &Position, texts: impl Iterator<Item = String>) -> Vec<Position> {
    let read = |text: String| position.play(&position.read_move(&text).unwrap()).unwrap();
    texts.take(FOLLOWED_MAX).map(read).collect()
}

/// Returns true if the player to move may have to find this many winning moves, the opponent answering as well as can be.
fn lasts(position: &Position, par: u32) -> bool {
    let after = moves(position, position.solve().winning.iter());
    after.iter().all(|left| {
        par <= 1 || {
            let answers = moves(left, left.legal_moves().iter());
            answers.iter().any(|answered| lasts(answered, par - 1))
        }
    })
}

#[test]
fn lessons_are_right() {
    let mut names = BTreeSet::new();
    for lesson in lessons() {
        assert!(names.insert(lesson.name), "{} twice", lesson.name);
        let mark = lesson
            .name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        assert!(mark && lesson.name.len() <= 40, "{}", lesson.name);
        for (number, step) in lesson.steps.iter().enumerate() {
            let at = format!("{}, step {}", lesson.name, number + 1);
            let game = step.game.unwrap_or(lesson.game);
            match &step.task {
                LessonTask::Show { position, mv } => {
                    let position = canonical(game, position, &at);
                    let played = position.read_move(mv).unwrap();
                    assert_eq!(played.to_string(), *mv, "{at}");
                    let after = position
                        .play(&played)
                        .unwrap_or_else(|error| panic!("{at}: {error}"));
                    assert_eq!(
                        after.outcome(),
                        Some(Outcome::P),
                        "{at}: the shown move wins"
                    );
                }
                LessonTask::Find { position, par } => {
                    let position = canonical(game, position, &at);
                    let solution = position.solve();
                    assert_eq!(solution.outcome, Some(Outcome::N), "{at}: nothing to find");
                    assert!(solution.complete, "{at}");
                    assert!((1..=6).contains(par), "{at}");
                    assert!(lasts(&position, *par), "{at}: won in fewer moves");
                }
                LessonTask::Colour { positions, lost } => {
                    let read = |text: &&str| canonical(game, text, &at).outcome().unwrap();
                    let outcomes: Vec<Outcome> = positions.iter().map(read).collect();
                    assert!(outcomes.contains(&Outcome::N) && !lost.is_empty(), "{at}");
                }
                LessonTask::Match { position, .. } => {
                    let position = canonical(game, position, &at);
                    position
                        .check_start()
                        .unwrap_or_else(|error| panic!("{at}: {error}"));
                    assert_eq!(position.outcome(), Some(Outcome::N), "{at}: it can be won");
                }
            }
        }
    }
}

#[test]
fn lessons_stand_in_the_order_of_their_paths() {
    for path in [LessonPath::Flight, LessonPath::Families] {
        let of_path = lessons().iter().filter(|lesson| lesson.path == path);
        for (index, lesson) in of_path.enumerate() {
            assert_eq!(lesson.stop as usize, index + 1, "{}", lesson.name);
        }
    }
}

#[test]
fn every_lesson_shows_a_move_and_asks_for_three_and_for_a_match() {
    let names: BTreeSet<String> = lessons()
        .iter()
        .map(|lesson| format!("{}.txt", lesson.name))
        .collect();
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/lessons")).unwrap();
    let files: BTreeSet<String> = folder
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, files, "every file is a lesson");
    for lesson in lessons() {
        let count =
            |is: fn(&LessonTask) -> bool| lesson.steps.iter().filter(|step| is(&step.task)).count();
        let shown = count(|task| matches!(task, LessonTask::Show { .. }));
        let found = count(|task| matches!(task, LessonTask::Find { .. }));
        assert!(shown == 1 && found >= 3, "{}", lesson.name);
        let last = &lesson.steps.last().unwrap().task;
        let LessonTask::Match { level, .. } = last else {
            panic!("{}", lesson.name)
        };
        let expected = if lesson.name == "perfect-bot" {
            Level::Perfect
        } else {
            Level::Novice
        };
        assert_eq!(*level, expected, "{}", lesson.name);
    }
    let stops = |path| {
        lessons()
            .iter()
            .filter(|lesson| lesson.path == path)
            .count()
    };
    assert_eq!(
        [stops(LessonPath::Flight), stops(LessonPath::Families)],
        [12, 9]
    );
}

/// The worked examples of the sources: the example of every game, and those that teach something of their own.
#[test]
fn every_worked_example_is_a_step_somewhere() {
    let mut steps: BTreeSet<String> = BTreeSet::new();
    for lesson in lessons() {
        for step in &lesson.steps {
            let game = step.game.unwrap_or(lesson.game);
            let positions = match &step.task {
                LessonTask::Colour { positions, .. } => positions.clone(),
                LessonTask::Show { position, .. }
                | LessonTask::Find { position, .. }
                | LessonTask::Match { position, .. } => vec![*position],
            };
            steps.extend(
                positions
                    .iter()
                    .map(|position| format!("{game} {position}")),
            );
        }
    }
    let examples = GameId::ALL.iter().map(|game| {
        let example = game.read(game.info().example).unwrap();
        format!("{game} {example}")
    });
    let others = [
        "misere-nim 1,1",
        "fib-fob a1@1 time=1 nuggets=0 fib=2 fob=0",
        "misere-fibonacci-nim coins=12",
        "kayles xxxxx.xxxxxx.xxx.xx",
        "ryuo-nim 5,7,2 p=4 q=8",
    ];
    let missing: Vec<String> = examples
        .chain(others.map(str::to_owned))
        .filter(|example| !steps.contains(example))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
