/**
 * What the scripts of this case share: the table's measures, observations, chance, and looking at
 * what is drawn. Chance is real: parameters are drawn anew on each drive, so no answer can be known
 * beforehand.
 */
export const TICK = 1 / 120;
export const COLOURS = {
  ball: [255, 248, 231],
  left: [244, 185, 66],
  right: [255, 111, 125],
};
export const SIDES = {
  left: { x: 60, line: 80, away: 1, other: "right", goal: -11 },
  right: { x: 1220, line: 1200, away: -1, other: "left", goal: 1291 },
};

/** Collects labelled findings for one verdict. */
export class Findings {
  constructor() {
    this.list = [];
  }

  is(label, pass, expected, actual) {
    const finding = { label, pass: Boolean(pass) };
    if (expected !== undefined) finding.expected = String(expected);
    if (actual !== undefined) finding.actual = String(actual);
    this.list.push(finding);
    return finding.pass;
  }

  same(label, actual, expected) {
    return this.is(label, JSON.stringify(actual) === JSON.stringify(expected), JSON.stringify(expected), JSON.stringify(actual));
  }

  near(label, actual, expected, tolerance) {
    const pass = Math.abs(actual - expected) <= tolerance;
    return this.is(label, pass, `${round(expected)} within ${round(tolerance)}`, round(actual));
  }
}

export function round(value) {
  return typeof value === "number" ? Number(value.toFixed(3)) : value;
}

export function between(low, high) {
  return low + (high - low) * Math.random();
}

export function whole(low, high) {
  return Math.floor(between(low, high + 1));
}

export function either(...options) {
  return options[whole(0, options.length - 1)];
}

export function seed() {
  return whole(1, 0xfffffffe);
}

export function speed({ vx, vy }) {
  return Math.hypot(vx, vy);
}

/** Degrees below the horizontal, whichever way the ball flies. */
export function slope({ vx, vy }) {
  return (Math.atan2(vy, Math.abs(vx)) * 180) / Math.PI;
}

/**
 * Steps until `done(snapshot)`, at most `seconds`, by `stride` ticks at a time: every call costs a
 * journey to the page and back. Returns the last snapshot.
 */
export async function until(api, seconds, done, stride = 1) {
  let now = await api.snapshot();
  for (let left = Math.round(seconds * 120); left > 0 && !done(now); left -= stride) now = await api.step(stride * TICK);
  return now;
}

/** Steps over a rest of the ball to the tick in which it is served. */
export async function untilServed(api) {
  const { serveIn } = await api.snapshot();
  await api.step(Math.max(0, serveIn - 2 * TICK));
  return until(api, 0.2, (now) => now.serveIn === 0 && now.ball.vx !== 0);
}

/** Lets `seconds` of the match go by slowly enough to be seen in a clip. Returns the last snapshot. */
export async function show(api, seconds) {
  const ticks = Math.round(seconds * 120);
  for (let done = 0; done < ticks; done += 6) {
    await api.step(Math.min(6, ticks - done) * TICK);
    await api.wait(36);
  }
  return api.snapshot();
}

/**
 * Puts the ball in front of a paddle's contact line, flying level towards it, and steps to the
 * moment of the stroke. `offset` is -1..1 of the reach, `swing` what the paddle's input is held at.
 */
export async function strike(api, side, { y = 396, offset = 0, pace = 600, swing = 0, spin = 0 } = {}) {
  const { line, away } = SIDES[side];
  const ticks = 16;
  const lead = (ticks - 0.5) * pace * TICK;
  await api.call("hold", side, swing);
  const before = await api.call("place", {
    ball: { x: line + away * lead, y, vx: -away * pace, vy: 0, spin },
    [side]: { y: y - offset * 71 - swing * 560 * TICK * ticks },
  });
  await api.step((ticks - 2) * TICK);
  return until(api, 0.05, (now) => now.rally > before.rally || now.serveIn > 0);
}

function distance(pixel, colour) {
  return Math.max(Math.abs(pixel.r - colour[0]), Math.abs(pixel.g - colour[1]), Math.abs(pixel.b - colour[2]));
}

/** Whether the canvas shows `colour` at (x, y) soon: drawing may lag the simulation a little. */
export async function drawn(api, x, y, colour, { shown = true, tolerance = 32, patience = 700 } = {}) {
  const deadline = Date.now() + patience;
  for (;;) {
    const pixel = await api.pixel(x / 1280, y / 720);
    if (distance(pixel, colour) <= tolerance === shown) return true;
    if (Date.now() > deadline) return false;
    await api.wait(30);
  }
}

/** Adds the finding that ball and paddles are drawn where `now` says. */
export async function isDrawn(api, found, now, label = "drawn where the simulation has it") {
  found.is(`the ball is ${label}`, await drawn(api, now.ball.x, now.ball.y, COLOURS.ball));
  for (const side of ["left", "right"]) {
    found.is(`the ${side} paddle is ${label}`, await drawn(api, SIDES[side].x, now[side].y, COLOURS[side]));
  }
}

const ROWS = [0.05, 0.117, 0.3, 0.45, 0.55, 0.7, 0.983];

/** The colours at 56 points over the canvas: strip, cushions and felt. */
export async function grid(api) {
  const colours = [];
  for (const v of ROWS) {
    for (let column = 0; column < 8; column += 1) {
      const { r, g, b } = await api.pixel((column + 0.5) / 8, v);
      colours.push([r, g, b]);
    }
  }
  return colours;
}

/** How many points of two grids differ clearly. */
export function difference(before, after) {
  return before.filter((colour, i) => colour.some((channel, k) => Math.abs(channel - after[i][k]) > 12)).length;
}

/** Number of sounds started so far, once those under way have had time to start. */
export async function sounds(api) {
  await api.wait(90);
  return (await api.audio()).length;
}
