//! The drawing of edges that grow from the ground: vertices in layers by their distance to it.

use std::collections::{BTreeMap, VecDeque};

use super::canvas::{Align, Area, Canvas, Colour, INK};

const EDGE: Colour = [95, 208, 122, 255];
const SOIL: Colour = [122, 88, 52, 255];
/// The edges that are drawn.
const EDGES_DRAWN: usize = 48;
const EDGE_WIDTH: f32 = 7.0;

pub(super) fn draw(canvas: &mut Canvas, edges: &[(u64, u64)], more: usize, area: Area) {
    let shown = &edges[..edges.len().min(EDGES_DRAWN)];
    let area = canvas.remainder(edges.len() - shown.len() + more, "more edges", area);
    let ground = area.bottom() - 14.0;
    let soil = Area {
        y: ground,
        height: 10.0,
        ..area
    };
    canvas.rectangle(soil, SOIL);
    if shown.is_empty() {
        let at = (area.x + area.width / 2.0, area.y + area.height / 2.0);
        canvas.text("nothing stands", at, (32.0, area.width), Align::Middle, INK);
        return;
    }
    let places = places(
        shown,
        Area {
            height: ground - area.y,
            ..area
        },
    );
    let mut drawn: BTreeMap<(u64, u64), u8> = BTreeMap::new();
    let mut roots = 0_u8;
    for &(a, b) in shown {
        let ends = (a.min(b), a.max(b));
        let parallel = drawn.entry(ends).or_default();
        // Parallel edges bend to both sides in turn.
        let side = if parallel.is_multiple_of(2) {
            -1.0
        } else {
            1.0
        };
        let bend = side * 26.0 * f32::from(parallel.div_ceil(2));
        *parallel = parallel.saturating_add(1);
        let at = |vertex: u64| places.get(&vertex).copied();
        let (from, to) = match ends {
            (0, 0) => {
                roots = roots.saturating_add(1);
                let x = area.x + area.width * 0.06 * f32::from(roots.min(15));
                ((x, ground), (x, ground))
            }
            // The ground is everywhere: an edge stands below its upper end.
            (0, top) => {
                let Some(top) = at(top) else { continue };
                ((top.0 + bend * 0.6, ground), top)
            }
            (low, high) => match (at(low), at(high)) {
                (Some(low), Some(high)) => (low, high),
                _ => continue,
            },
        };
        if ends.0 == ends.1 {
            let radius = 15.0 + 7.0 * f32::from(parallel.saturating_sub(1).min(6));
            canvas.ring(
                (from.0 + radius, from.1 - radius * 0.3),
                radius,
                EDGE_WIDTH,
                EDGE,
            );
            continue;
        }
        let (x, y) = ((from.0 + to.0) / 2.0, f32::midpoint(from.1, to.1));
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
        let across = ((from.1 - to.1) / length, (to.0 - from.0) / length);
        let bend = (x + across.0 * bend * 2.0, y + across.1 * bend * 2.0);
        canvas.curve(from, bend, to, EDGE_WIDTH, EDGE);
    }
    for (vertex, at) in &places {
        if *vertex != 0 {
            canvas.disc(*at, EDGE_WIDTH, INK);
        }
    }
}

/// The places of all vertices but the ground: layers by distance, each spread over the width in the
/// order in which a search from the ground reaches them.
#[expect(clippy::cast_precision_loss, reason = "a few dozen vertices")]
fn places(edges: &[(u64, u64)], area: Area) -> BTreeMap<u64, (f32, f32)> {
    let mut neighbours: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for &(a, b) in edges {
        neighbours.entry(a).or_default().push(b);
        neighbours.entry(b).or_default().push(a);
    }
    let mut layers: Vec<Vec<u64>> = Vec::new();
    let mut seen = BTreeMap::from([(0, 0)]);
    let mut waiting = VecDeque::from([0]);
    while let Some(vertex) = waiting.pop_front() {
        let layer = seen[&vertex];
        for next in neighbours.get(&vertex).into_iter().flatten() {
            if seen.contains_key(next) {
                continue;
            }
            seen.insert(*next, layer + 1);
            if layers.len() <= layer {
                layers.push(Vec::new());
            }
            layers[layer].push(*next);
            waiting.push_back(*next);
        }
    }
    let rise = (area.height - 24.0) / layers.len().max(1) as f32;
    let mut places = BTreeMap::new();
    for (height, layer) in layers.iter().enumerate() {
        let y = area.bottom() - rise * (height + 1) as f32;
        for (place, vertex) in layer.iter().enumerate() {
            let part = (place as f32 + 0.5) / layer.len() as f32;
            // Layers are a little askew, so that edges over several of them do not cover each other.
            let askew = if height % 2 == 0 {
                0.0
            } else {
                area.width * 0.03
            };
            places.insert(*vertex, (area.x + area.width * part + askew, y));
        }
    }
    places
}
