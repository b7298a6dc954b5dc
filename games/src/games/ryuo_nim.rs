//! Ryūō Nim: take from one heap, or fewer than p coins from several heaps at once.
//!
//! Two heaps and p = 3 are Ryūō, the dragon king of Shōgi, on its way to the corner. The closed form without a bound on
//! takes from one heap is that of Miyadera, Tokuni, Nakaya, Fukui, Abuku and Suetsugu (2017, arXiv:1711.01411); with
//! takes of less than q coins one of its kind holds iff p divides q or p ≤ 2. For other p and q nimbers are searched, up
//! to a bound.

use std::{fmt, sync::Arc};

use super::ryuo::blocks::Blocks;
use super::ryuo::nimber_table::RyuoTable;
use super::ryuo::rule::{self, RyuoMove, TakeRule};
use crate::explain::verdict;
use crate::explanation::{Explanation, ExplanationStep};
use crate::game::{Game, PASSED_PER_STEP};
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{self, AMOUNT_MAX, Fields, NotationError, NotationErrorKind};
use crate::shape::{MoveBound, ShapePart};
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{PositionTable, Tables};

/// The sentence about takes from several heaps.
pub(super) const TOGETHER: &str =
    "Or take from several heaps at once, fewer than p coins together.";

/// The most coins of a heap in a table, by the number of heaps: at most 4096 positions in each.
const TABLE_BOUNDS: [u64; rule::HEAPS_MAX + 1] = [0, 0, 63, 15, 7, 4, 3, 2, 1];

const HEAPS: StartRange = StartRange::new("heaps", 2..=4, 2..=3);
const COINS: StartRange = rule::coins(99, 15);
/// The p of takes from several heaps, which take fewer coins than it.
const P: StartRange = StartRange::new("p", 1..=9, 2..=5);
/// The multiple of p that q is; 0 for no q.
const TIMES: StartRange = StartRange::new("q/p", 0..=9, 0..=0);
/// The q of takes from one heap, which take fewer coins than it.
const Q: StartRange = StartRange::new("q", 1..=P.most * TIMES.most, 1..=1);

/// Heaps, and how many coins may be taken at once: two heaps to eight, some perhaps empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RyuoNim {
    heaps: Vec<u64>,
    /// At least 1.
    p: u64,
    /// At least 1, if there is one.
    q: Option<u64>,
}

/// The method that finds the nimbers of a position.
enum NimberMethod {
    Form(Blocks),
    RyuoTable(Arc<RyuoTable>),
}

impl RyuoNim {
    pub(super) fn heaps(&self) -> &[u64] {
        &self.heaps
    }

    /// Returns p: takes from several heaps take fewer coins than this.
    pub(super) const fn p(&self) -> u64 {
        self.p
    }

    pub(super) fn rule(&self) -> TakeRule {
        TakeRule {
            alone: self.q.map_or(AMOUNT_MAX, |q| q - 1),
            each: self.p - 1,
            together: self.p - 1,
        }
    }

    pub(super) fn with(&self, heaps: Vec<u64>) -> Self {
        Self { heaps, ..*self }
    }

    /// The closed form, where one is known.
    fn form(&self) -> Option<Blocks> {
        // Heaps of fewer than q coins do not show that there is a q.
        let period = self.q.filter(|q| self.heaps.iter().any(|heap| heap >= q));
        let several = self.heaps.iter().filter(|&&heap| heap > 0).count() >= 2;
        let modulus = if self.p <= 2 { 1 } else { self.p };
        match period {
            Some(q) if !q.is_multiple_of(modulus) => {
                (!several).then_some(Blocks { modulus: 1, period })
            }
            _ => Some(Blocks { modulus, period }),
        }
    }

    fn source(&self) -> Result<NimberMethod, UnknownReason> {
        if let Some(form) = self.form() {
            return Ok(NimberMethod::Form(form));
        }
        let bound = TABLE_BOUNDS[self.heaps.len()];
        RyuoTable::holding(&self.heaps, self.rule(), bound, false).map(NimberMethod::RyuoTable)
    }

    pub(super) fn without_q(fields: &mut Fields<'_>) -> Result<Self, NotationError> {
        let heaps = fields.list()?;
        if heaps.len() > rule::HEAPS_MAX {
            let found = format!("{} heaps", heaps.len());
            let expected = format!("at most {}", rule::HEAPS_MAX);
            return Err(NotationErrorKind::TooMany.error(&found, expected));
        }
        if heaps.len() < 2 {
            let found = heaps[0].to_string();
            return Err(NotationErrorKind::Missing.error(&found, "two heaps or more"));
        }
        let Some(p) = fields.field("p") else {
            return Err(NotationErrorKind::Missing.error("", "p=1 or more"));
        };
        Ok(Self {
            heaps,
            p: positive("p", p)?,
            q: None,
        })
    }

    /// Draws two heaps without q, from these ranges.
    pub(super) fn pair(sampler: &mut StartSampler<'_>, coins: &StartRange, p: &StartRange) -> Self {
        Self {
            heaps: vec![sampler.amount(coins), sampler.amount(coins)],
            p: sampler.amount(p),
            q: None,
        }
    }
}

fn positive(key: &str, text: &str) -> Result<u64, NotationError> {
    match notation::amount(text)? {
        0 => Err(NotationErrorKind::AmountTooSmall.error(text, format!("{key}=1 or more"))),
        amount => Ok(amount),
    }
}

impl fmt::Display for RyuoNim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_list(f, &self.heaps)?;
        write!(f, " p={}", self.p)?;
        self.q.map_or(Ok(()), |q| write!(f, " q={q}"))
    }
}

impl Game for RyuoNim {
    type Move = RyuoMove;

    const INFO: GameInfo = GameInfo {
        id: "ryuo-nim",
        title: "Ryūō Nim",
        rules: "Take any number of coins (fewer than q, if there is a q) from one heap, or fewer than p coins together from \
                several heaps. Whoever cannot move loses.",
        example: "5,7 p=3",
        example_move: "take 1,1",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "The coins of two heaps or more; p, and q if there is one.",
        how: how! {
            "5,4 p=3", "take 3,0" => "Take any number of coins from one heap, or fewer than q where there is a q.";
            "5,4 p=3", "take 1,1" => TOGETHER;
        },
        theory: &[
            "p = 3 is Ryūō itself, the dragon king of Shōgi on its way to the corner. The nimber is \
             (sum mod p) + p · xor of the whole blocks of p coins.",
            "With q, if p divides q, the same of the heaps mod q; with p of 1 or 2, the xor of the heaps mod q. Otherwise \
             no formula is known: nimbers come from a table, up to a bound.",
        ],
    };
    const TABLES: Tables = Ok(&[PositionTable {
        options: &["p", "q"],
        cell: |a, b, options| {
            let q = options.q.map_or(String::new(), |q| format!(" q={q}"));
            format!("{a},{b} p={}{q}", options.p())
        },
        ..PositionTable::heaps()
    }]);
    const START_RANGES: &'static [StartRange] = &[HEAPS, COINS, P, TIMES];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            let nim = Self::without_q(fields)?;
            let q = fields.field("q").map(|q| positive("q", q)).transpose()?;
            Ok(Self { q, ..nim })
        })
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        let heaps = sampler.amount(&HEAPS);
        let p = sampler.amount(&P);
        Self {
            heaps: (0..heaps).map(|_| sampler.amount(&COINS)).collect(),
            p,
            q: Some(sampler.amount(&TIMES) * p).filter(|&q| q > 0),
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        HEAPS.check(self.heaps.len() as u64)?;
        self.heaps
            .iter()
            .try_for_each(|&coins| COINS.check(coins))?;
        P.check(self.p)?;
        self.q.map_or(Ok(()), |q| Q.check(q))?;
        self.source().map_err(StartError::Unsolved)?;
        Ok(())
    }

    fn parse_move(&self, text: &str) -> Result<RyuoMove, NotationError> {
        RyuoMove::read(text, 1..=rule::HEAPS_MAX)
    }

    fn after(&self, mv: &RyuoMove) -> Result<Self, IllegalReason> {
        let after = self.rule().after(&self.heaps, mv);
        after.map(|heaps| self.with(heaps))
    }

    fn legal_moves(&self) -> MoveSet {
        self.rule().legal_moves(&self.heaps)
    }

    fn nimber(&self) -> Nimber {
        match self.source() {
            Ok(NimberMethod::Form(form)) => Nimber::Known(form.nimber(&self.heaps)),
            Ok(NimberMethod::RyuoTable(table)) => Nimber::Known(table.nimber(&self.heaps)),
            Err(unknown) => Nimber::Unknown(unknown),
        }
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        match self.source() {
            Ok(NimberMethod::Form(form)) => Ok(form.moves_to(&self.heaps, value)),
            Ok(NimberMethod::RyuoTable(table)) => Ok(table.takes_to(&self.heaps, value)),
            // No nimber is larger than the number of moves that can still be made.
            Err(_) if u128::from(value) >= self.longest_play() => Ok(MoveSet::new()),
            Err(unknown) => Err(unknown),
        }
    }

    /// The table for a p and a q without a closed form. Heaps in another order have the same nimber, so at most half
    /// of the cells are searched.
    fn table_steps(&self) -> u64 {
        let modulus = if self.p <= 2 { 1 } else { self.p };
        let count = self.heaps.len();
        let takes = || self.rule().tabled(count, TABLE_BOUNDS[count]);
        match self.q {
            Some(q) if !q.is_multiple_of(modulus) => takes() / 2 / PASSED_PER_STEP,
            _ => 0,
        }
    }

    /// In the closed form, each set of heaps is tried; else each take.
    fn solve_steps(&self) -> u64 {
        let count = self.heaps.len();
        let tried = match self.form() {
            Some(_) => (2 * count as u64) << count,
            None => self.rule().takes(&self.heaps, TABLE_BOUNDS[count]) / PASSED_PER_STEP,
        };
        self.play_steps() + tried
    }

    fn longest_play(&self) -> u128 {
        self.rule().longest_play(&self.heaps)
    }

    fn shape(&self) -> Vec<ShapePart> {
        let together = MoveBound::Together(self.p);
        let alone = self.q.map(MoveBound::Alone);
        let bounds = [together].into_iter().chain(alone).map(ShapePart::Bound);
        let heaps = ShapePart::Heaps(self.heaps.clone());
        [heaps].into_iter().chain(bounds).collect()
    }

    fn explain(&self) -> Explanation {
        let steps = match self.source() {
            Ok(NimberMethod::Form(form)) => form.explain(&self.heaps),
            Ok(NimberMethod::RyuoTable(table)) => vec![ExplanationStep::Searched {
                nimber: table.nimber(&self.heaps),
            }],
            Err(_) => Vec::new(),
        };
        verdict(self, steps)
    }
}
