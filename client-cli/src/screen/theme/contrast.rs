//! Tests each colour's contrast with every background it is used on, computed as in WCAG 2.2:
//! <https://www.w3.org/TR/WCAG2>

use super::*;

/// The least contrast of text.
const CONTRAST_MIN: f64 = 4.5;

/// The backgrounds of common dark terminals: black, xterm's, VS Code's, One Dark, Ubuntu's.
const DARK: [[u8; 3]; 5] = [
    [0x00, 0x00, 0x00],
    [0x12, 0x12, 0x12],
    [0x1e, 0x1e, 0x1e],
    [0x28, 0x2c, 0x34],
    [0x30, 0x0a, 0x24],
];

/// The backgrounds of common light terminals: white, Solarized's, grey.
const LIGHT: [[u8; 3]; 3] = [[0xff, 0xff, 0xff], [0xfd, 0xf6, 0xe3], [0xee, 0xee, 0xee]];

/// Returns the red, green and blue of a colour from xterm's cube and greys, which terminals do not change.
fn rgb(colour: Color) -> [u8; 3] {
    let Color::Indexed(index) = colour else {
        panic!("{colour} is not one of the 256")
    };
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        0..16 => panic!("{index} is a colour of the user's own palette"),
        16..232 => {
            let cube = index - 16;
            [level(cube / 36), level(cube / 6 % 6), level(cube % 6)]
        }
        232.. => [8 + 10 * (index - 232); 3],
    }
}

fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = rgb.map(|channel| {
        let value = f64::from(channel) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn roles() -> Vec<StyleRole> {
    let mut roles = vec![
        StyleRole::Faint,
        StyleRole::Ship,
        StyleRole::Open,
        StyleRole::Trail,
        StyleRole::Time,
        StyleRole::Nuggets,
        StyleRole::Fib,
        StyleRole::Fob,
        StyleRole::Coins,
        StyleRole::Good,
        StyleRole::Bad,
        StyleRole::Warning,
    ];
    roles.extend(Seat::BOTH.map(StyleRole::Player));
    roles
}

#[test]
fn black_on_white_is_21() {
    assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 0.01);
    assert_eq!(rgb(Color::Indexed(220)), [0xff, 0xd7, 0x00]);
    assert_eq!(rgb(Color::Indexed(244)), [0x80, 0x80, 0x80]);
}

#[test]
fn every_colour_has_contrast_on_every_background() {
    for (theme, grounds) in [(Theme::Dark, &DARK[..]), (Theme::Light, &LIGHT[..])] {
        for role in roles() {
            let colour = rgb(theme.style(role).fg.expect("a role has a colour"));
            for ground in grounds {
                let found = contrast(colour, *ground);
                assert!(
                    found >= CONTRAST_MIN,
                    "{theme:?} {role:?} on {ground:x?}: {found:.2}"
                );
            }
        }
    }
    let own = Theme::Painted.ground();
    let (text, ground) = (own.fg.expect("it has one"), own.bg.expect("it has one"));
    assert!(contrast(rgb(text), rgb(ground)) >= CONTRAST_MIN);
    assert!(DARK.contains(&rgb(ground)), "its roles are compared above");
}

#[test]
fn signs_on_squares_have_contrast_too() {
    let signs = [StyleRole::Faint, StyleRole::Open, StyleRole::Trail];
    for theme in [Theme::Dark, Theme::Light] {
        for (dark, within_reach) in [(true, true), (true, false), (false, true), (false, false)] {
            let ground = rgb(theme.square(dark, within_reach).bg.expect("it has one"));
            for role in signs {
                let colour = rgb(theme.style(role).fg.expect("a role has a colour"));
                let found = contrast(colour, ground);
                assert!(
                    found >= CONTRAST_MIN,
                    "{theme:?} {role:?} {dark} {within_reach}: {found:.2}"
                );
            }
        }
        let ship = theme.ship_square();
        let (sign, ground) = (ship.fg.expect("it has one"), ship.bg.expect("it has one"));
        assert!(contrast(rgb(sign), rgb(ground)) >= CONTRAST_MIN);
    }
}
