/**
 * The game's own lettering: monoline capitals drawn as strokes, so that every machine shows the same.
 *
 * A glyph is [advance width, SVG path] in a box whose capitals are 14 high, y down, baseline at 14.
 */
export const GLYPHS = {
  A: [10, "M0 14 L5 0 L10 14 M1.8 9.4 H8.2"],
  B: [8.6, "M0 0 V14 H4.9 A3.75 3.75 0 0 0 4.9 6.5 H0 M0 0 H4.6 A3.25 3.25 0 0 1 4.6 6.5"],
  C: [9.4, "M9.3 2.6 A5.6 7 0 1 0 9.3 11.4"],
  D: [9.8, "M0 0 V14 H3.4 A6.4 7 0 0 0 3.4 0 Z"],
  E: [7.6, "M7.6 0 H0 V14 H7.6 M0 7 H6.2"],
  F: [7.4, "M7.4 0 H0 V14 M0 7 H6"],
  G: [10.2, "M9.4 2.6 A5.6 7 0 1 0 10.2 7.8 H6.4"],
  H: [9, "M0 0 V14 M9 0 V14 M0 7 H9"],
  I: [0.4, "M0.2 0 V14"],
  J: [6, "M6 0 V10.4 A3.1 3.6 0 0 1 0 11"],
  K: [8.8, "M0 0 V14 M8.4 0 L0 8.4 M3 5.5 L8.8 14"],
  L: [7.2, "M0 0 V14 H7.2"],
  M: [11, "M0 14 V0 L5.5 9 L11 0 V14"],
  N: [9, "M0 14 V0 L9 14 V0"],
  O: [11.2, "M5.6 0 A5.6 7 0 1 0 5.6 14 A5.6 7 0 1 0 5.6 0 Z"],
  P: [8.6, "M0 14 V0 H4.8 A3.9 3.9 0 0 1 4.8 7.8 H0"],
  Q: [11.2, "M5.6 0 A5.6 7 0 1 0 5.6 14 A5.6 7 0 1 0 5.6 0 Z M7.4 10.4 L10.8 14.4"],
  R: [8.8, "M0 14 V0 H4.8 A3.9 3.9 0 0 1 4.8 7.8 H0 M4.6 7.8 L8.8 14"],
  S: [8.2, "M7.7 2.5 A3.9 3.4 0 0 0 4.1 0 A3.4 3.4 0 0 0 4.1 6.8 A3.7 3.6 0 0 1 4.1 14 A4.2 3.6 0 0 1 0.1 11.4"],
  T: [9.2, "M0 0 H9.2 M4.6 0 V14"],
  U: [9, "M0 0 V9.2 A4.5 4.8 0 0 0 9 9.2 V0"],
  V: [10, "M0 0 L5 14 L10 0"],
  W: [14, "M0 0 L3.7 14 L7 3 L10.3 14 L14 0"],
  X: [9, "M0 0 L9 14 M9 0 L0 14"],
  Y: [9.6, "M0 0 L4.8 7.2 L9.6 0 M4.8 7.2 V14"],
  Z: [8.6, "M0 0 H8.6 L0 14 H8.6"],
  0: [9, "M4.5 0 A4.5 4.6 0 0 0 0 4.6 V9.4 A4.5 4.6 0 0 0 9 9.4 V4.6 A4.5 4.6 0 0 0 4.5 0 Z"],
  1: [4, "M0.2 2.8 L3.6 0 V14"],
  2: [8.4, "M0.2 3.8 A4 3.8 0 1 1 7.3 6.2 L0 14 H8.4"],
  3: [8.2, "M0.5 0 H7.6 L4 5.5 A4.1 4.2 0 1 1 0.1 11.2"],
  4: [9, "M6.5 14 V0 L0 10.2 H9"],
  5: [8.4, "M7.8 0 H1.4 L0.8 6.2 A4.3 4.3 0 1 1 0 11.8"],
  6: [8.6, "M6.6 0 L1 7 M8.6 9.6 A4.3 4.4 0 1 1 0 9.6 A4.3 4.4 0 1 1 8.6 9.6 Z"],
  7: [8.4, "M0 0 H8.4 L3 14"],
  8: [8.4, "M4.2 6.6 A3.4 3.3 0 1 1 4.2 0 A3.4 3.3 0 1 1 4.2 6.6 A4.2 3.7 0 1 1 4.2 14 A4.2 3.7 0 1 1 4.2 6.6"],
  9: [8.6, "M2 14 L7.6 7 M0 4.4 A4.3 4.4 0 1 1 8.6 4.4 A4.3 4.4 0 1 1 0 4.4 Z"],
  "-": [5, "M0 7.6 H5"],
  ".": [0.6, "M0.1 13.8 H0.5"],
  ",": [1, "M0.9 13.4 L0.2 16"],
  ":": [0.6, "M0.1 4.6 H0.5 M0.1 12.4 H0.5"],
  "/": [6, "M0 14.6 L6 -0.6"],
  "+": [7, "M3.5 4 V11 M0 7.5 H7"],
  "'": [0.6, "M0.3 0 V3"],
  "×": [6.4, "M0 5 L6.4 11.6 M6.4 5 L0 11.6"],
  "↑": [7.6, "M3.8 14 V1 M0 5 L3.8 1 L7.6 5"],
  "↓": [7.6, "M3.8 0 V13 M0 9 L3.8 13 L7.6 9"],
  " ": [4.4, ""],
};

const GAP = 2.6;
const CAP = 14;

/** Width in units of `text` in capitals `size` high, with `spacing` units between letters on top. */
export function textWidth(text, size, spacing = 0) {
  const scale = size / CAP;
  let width = 0;
  for (const letter of text.toUpperCase()) width += (glyph(letter)[0] + GAP) * scale + spacing;
  return Math.max(0, width - GAP * scale - spacing);
}

/** Where each letter of `text` goes: [{ path, x }], x measured from the text's left edge. */
export function layout(text, size, spacing = 0) {
  const scale = size / CAP;
  const placed = [];
  let x = 0;
  for (const letter of text.toUpperCase()) {
    const [advance, path] = glyph(letter);
    if (path) placed.push({ path, x });
    x += (advance + GAP) * scale + spacing;
  }
  return placed;
}

function glyph(letter) {
  return GLYPHS[letter] ?? GLYPHS["-"];
}

const paths = new Map();

function pathOf(data) {
  if (!paths.has(data)) paths.set(data, new Path2D(data));
  return paths.get(data);
}

/**
 * Draws `text` with its capitals' upper edge at `y`. `align` is "left", "centre" or "right" of `x`;
 * `weight` is the width of the strokes in units.
 */
export function write(pen, text, x, y, style) {
  const { size, colour, align = "centre", weight = size * 0.11, spacing = size * 0.2, alpha = 1 } = style;
  const width = textWidth(text, size, spacing);
  const start = align === "centre" ? x - width / 2 : align === "right" ? x - width : x;
  const scale = size / CAP;
  pen.save();
  pen.translate(start, y);
  pen.globalAlpha *= alpha;
  pen.strokeStyle = colour;
  pen.lineWidth = weight / scale;
  pen.lineCap = "round";
  pen.lineJoin = "round";
  pen.scale(scale, scale);
  for (const letter of layout(text, size, spacing)) {
    pen.save();
    pen.translate(letter.x / scale, 0);
    pen.stroke(pathOf(letter.path));
    pen.restore();
  }
  pen.restore();
}
