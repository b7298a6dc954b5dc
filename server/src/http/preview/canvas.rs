//! A bitmap that shapes and letters are drawn on, and its PNG.
//!
//! Knows shapes, and nothing of games.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform,
};
use ttf_parser::{Face, OutlineBuilder};

/// The only font: letters of Latin, digits and signs. Its licence is beside it.
const FONT: &[u8] = include_bytes!("font/DejaVuSansCondensed-Bold-subset.ttf");
const PNG_SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Eight bits of red, green and blue for each pixel, in rows from the top.
const PNG_FORMAT: [u8; 5] = [8, 2, 0, 0, 0];
const BYTES_PER_PIXEL: usize = 4;

/// A colour: red, green, blue, and opacity.
pub(super) type Colour = [u8; 4];

pub(super) const INK: Colour = [238, 241, 251, 255];
pub(super) const QUIET: Colour = [169, 179, 210, 255];

/// A rectangle of the bitmap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    pub(super) fn right(self) -> f32 {
        self.x + self.width
    }

    pub(super) fn bottom(self) -> f32 {
        self.y + self.height
    }

    /// The area without a margin on each side.
    pub(super) fn within(self, margin: f32) -> Self {
        Self {
            x: self.x + margin,
            y: self.y + margin,
            width: (self.width - 2.0 * margin).max(0.0),
            height: (self.height - 2.0 * margin).max(0.0),
        }
    }

    /// The part from `from` to `to` of its width, both between 0 and 1.
    pub(super) fn columns(self, from: f32, to: f32) -> Self {
        Self {
            x: self.x + from * self.width,
            width: (to - from) * self.width,
            ..self
        }
    }

    /// The part from `from` to `to` of its height.
    pub(super) fn rows(self, from: f32, to: f32) -> Self {
        Self {
            y: self.y + from * self.height,
            height: (to - from) * self.height,
            ..self
        }
    }
}

/// The place of a text beside its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Middle,
    Right,
}

/// A bitmap.
pub(super) struct Canvas {
    pixmap: Pixmap,
    font: Face<'static>,
}

impl Canvas {
    /// A bitmap of one colour, with at least one pixel.
    pub(super) fn new(width: u32, height: u32, [red, green, blue, alpha]: Colour) -> Self {
        let mut pixmap = Pixmap::new(width.max(1), height.max(1)).expect("the size is small");
        pixmap.fill(Color::from_rgba8(red, green, blue, alpha));
        Self {
            pixmap,
            font: Face::parse(FONT, 0).expect("the font is part of the program"),
        }
    }

    pub(super) fn rectangle(&mut self, area: Area, colour: Colour) {
        let rectangle = Rect::from_xywh(area.x, area.y, area.width.max(1.0), area.height.max(1.0));
        self.fill(rectangle.map(PathBuilder::from_rect), colour);
    }

    pub(super) fn polygon(&mut self, corners: &[(f32, f32)], colour: Colour) {
        let mut path = PathBuilder::new();
        for (number, (x, y)) in corners.iter().enumerate() {
            match number {
                0 => path.move_to(*x, *y),
                _ => path.line_to(*x, *y),
            }
        }
        path.close();
        self.fill(path.finish(), colour);
    }

    pub(super) fn disc(&mut self, (x, y): (f32, f32), radius: f32, colour: Colour) {
        self.fill(PathBuilder::from_circle(x, y, radius), colour);
    }

    pub(super) fn ellipse(&mut self, area: Area, colour: Colour) {
        let rectangle = Rect::from_xywh(area.x, area.y, area.width, area.height);
        self.fill(rectangle.and_then(PathBuilder::from_oval), colour);
    }

    pub(super) fn ring(&mut self, (x, y): (f32, f32), radius: f32, width: f32, colour: Colour) {
        self.stroke(PathBuilder::from_circle(x, y, radius), width, colour);
    }

    /// A line from `from` to `to` that is bent towards `bend`.
    pub(super) fn curve(
        &mut self,
        from: (f32, f32),
        bend: (f32, f32),
        to: (f32, f32),
        width: f32,
        colour: Colour,
    ) {
        let mut path = PathBuilder::new();
        path.move_to(from.0, from.1);
        path.quad_to(bend.0, bend.1, to.0, to.1);
        self.stroke(path.finish(), width, colour);
    }

    /// Writes a text of this height on the line at `y`, smaller if it would be wider than `most`.
    pub(super) fn text(
        &mut self,
        text: &str,
        (x, y): (f32, f32),
        (size, most): (f32, f32),
        align: Align,
        colour: Colour,
    ) {
        let unit = 1.0 / f32::from(self.font.units_per_em());
        let width = self.width(text);
        if width <= 0.0 || most <= 0.0 {
            return;
        }
        let size = size.min(most / width);
        let mut x = match align {
            Align::Left => x,
            Align::Middle => x - width * size / 2.0,
            Align::Right => x - width * size,
        };
        let scale = unit * size;
        let mut outline = Outline::default();
        for letter in text.chars() {
            (outline.x, outline.y, outline.scale) = (x, y, scale);
            if let Some(glyph) = self.font.glyph_index(letter) {
                self.font.outline_glyph(glyph, &mut outline);
                x += f32::from(self.font.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
            }
        }
        self.fill(outline.path.finish(), colour);
    }

    /// Says how many are not drawn, and returns the area that is left.
    pub(super) fn remainder(&mut self, hidden: usize, what: &str, area: Area) -> Area {
        if hidden == 0 {
            return area;
        }
        let at = (area.right(), area.bottom());
        let text = format!("… {hidden} {what}");
        self.text(&text, at, (26.0, area.width), Align::Right, QUIET);
        area.rows(0.0, 0.9)
    }

    /// The width of a text of height 1. Letters that the font lacks are left out.
    fn width(&self, text: &str) -> f32 {
        let glyphs = text
            .chars()
            .filter_map(|letter| self.font.glyph_index(letter));
        let advances = glyphs.filter_map(|glyph| self.font.glyph_hor_advance(glyph));
        advances.map(f32::from).sum::<f32>() / f32::from(self.font.units_per_em())
    }

    fn fill(&mut self, path: Option<Path>, colour: Colour) {
        if let Some(path) = path {
            let (paint, here) = (paint(colour), Transform::identity());
            self.pixmap
                .fill_path(&path, &paint, FillRule::Winding, here, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, width: f32, colour: Colour) {
        let stroke = Stroke {
            width,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        if let Some(path) = path {
            let (paint, here) = (paint(colour), Transform::identity());
            self.pixmap.stroke_path(&path, &paint, &stroke, here, None);
        }
    }

    /// The bitmap as PNG.
    pub(super) fn png(&self) -> Vec<u8> {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        let mut head = [width.to_be_bytes(), height.to_be_bytes()].concat();
        head.extend(PNG_FORMAT);
        let mut rows = ZlibEncoder::new(Vec::new(), Compression::default());
        let row_bytes = width as usize * BYTES_PER_PIXEL;
        let mut line = Vec::with_capacity(row_bytes);
        for row in self.pixmap.data().chunks_exact(row_bytes) {
            line.clear();
            // No filter: most neighbours are equal.
            line.push(0);
            for pixel in row.chunks_exact(BYTES_PER_PIXEL) {
                line.extend_from_slice(&pixel[..BYTES_PER_PIXEL - 1]);
            }
            rows.write_all(&line)
                .expect("a vector can always be written to");
        }
        let rows = rows.finish().expect("a vector can always be written to");
        let mut png = PNG_SIGNATURE.to_vec();
        for (kind, content) in [(b"IHDR", head), (b"IDAT", rows), (b"IEND", Vec::new())] {
            let length = u32::try_from(content.len()).expect("a picture is small");
            png.extend(length.to_be_bytes());
            png.extend(kind);
            png.extend(&content);
            let mut sum = Crc::new();
            sum.update(kind);
            sum.update(&content);
            png.extend(sum.sum().to_be_bytes());
        }
        png
    }
}

fn paint([red, green, blue, alpha]: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, alpha);
    paint.anti_alias = true;
    paint
}

/// The outlines of letters, each at its place on the line.
#[derive(Default)]
struct Outline {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Canvas {
        /// The pixels that have this colour exactly.
        pub(in super::super) fn count(&self, [red, green, blue, _]: Colour) -> usize {
            let pixels = self.pixmap.pixels().iter();
            let colours = pixels.map(|pixel| (pixel.red(), pixel.green(), pixel.blue()));
            colours.filter(|it| *it == (red, green, blue)).count()
        }
    }

    #[test]
    fn a_text_is_as_wide_as_there_is_room() {
        let inked = |most: f32| {
            let mut canvas = Canvas::new(200, 40, [0, 0, 0, 255]);
            canvas.text("12345", (0.0, 30.0), (30.0, most), Align::Left, INK);
            canvas.count(INK)
        };
        assert!(inked(200.0) > inked(40.0) && inked(40.0) > 0);
        assert_eq!(inked(0.0), 0);
    }
}
