/** What each screen shows, from the score strip to the menu. */
import { write } from "./lettering.js";
import { COLOURS, faded } from "./palette.js";
import {
  diamond,
  paintBall,
  paintCountdown,
  paintEffects,
  paintFelt,
  paintPaddle,
  paintShade,
  paintTrail,
  trailColour,
} from "./painter.js";
import { BALL, RULES } from "./table.js";
import { VARIANT } from "./variant.js";

const NAMES = { solo: { left: "You", right: "House" }, versus: { left: "Left", right: "Right" } };

/** The title's entries: label, centre y of the lettering; also where a pointer finds them. */
export const ENTRIES = [
  { label: "Solo", y: 427 },
  { label: "Versus", y: 481 },
];

export function paintScreen(pen, game, effects, now) {
  if (game.screen === "title") paintTitle(pen, game, now);
  else paintPlay(pen, game, effects);
  if (game.screen === "paused") paintPaused(pen);
  if (game.screen === "won") paintWon(pen, game.match);
}

function paintTitle(pen, game, now) {
  paintFelt(pen, 0, false);
  paintPaddle(pen, "left", 560, 0);
  paintPaddle(pen, "right", 300, 0);
  paintTrail(pen, TITLE_PATH, VARIANT.palette.accent, 0.2);
  paintBall(pen, TITLE_PATH.at(-1), 0.9 + now * 0.0006);
  write(pen, "Carom", 640, 196, { size: 104, colour: COLOURS.brass, weight: 9, spacing: 26 });
  const style = VARIANT.heat ? { size: 26, weight: 3, spacing: 16 } : { size: 17, weight: 1.8, spacing: 7 };
  write(pen, VARIANT.subtitle, 640, VARIANT.heat ? 332 : 334, { ...style, colour: COLOURS.subtitle });
  for (const [index, entry] of ENTRIES.entries()) {
    const chosen = index === game.menu;
    const colour = chosen ? COLOURS.text : COLOURS.quiet;
    write(pen, entry.label, 640, entry.y - 11, { size: 22, colour, weight: chosen ? 2.8 : 2 });
    if (!chosen) continue;
    pen.fillStyle = COLOURS.brass;
    for (const x of [640 - 128, 640 + 128]) diamond(pen, x, entry.y, 7);
  }
  const small = { size: 13.5, colour: COLOURS.quiet, weight: 1.6 };
  write(pen, `↑ ↓ choose    Enter start    M sound${game.muted ? " off" : ""}`, 640, 540, small);
  write(pen, "W / S left paddle    ↑ / ↓ right paddle    P pause", 640, 572, small);
}

const TITLE_PATH = Array.from({ length: 61 }, (_, i) => {
  const t = i / 60;
  return { x: 82 + 1010 * t, y: 596 + 110 * t - 350 * t ** 9 };
});

function paintPlay(pen, game, effects) {
  const { match } = game;
  const heat = VARIANT.heat ? match.heat : 0;
  paintFelt(pen, heat, true);
  const inPlay = match.restTicks === 0;
  if (inPlay) paintTrail(pen, effects.trail, trailColour(match.ball.spin, effects.striker, heat));
  paintEffects(pen, effects);
  for (const side of ["left", "right"]) paintPaddle(pen, side, match[side].y, effects.flash[side]);
  if (!inPlay) paintCountdown(pen, match.ball, Math.min(1, match.restTicks / RULES.restTicks));
  paintBall(pen, match.ball, effects.roll, 1 + heat);
  paintStrip(pen, game, effects);
}

function paintStrip(pen, { match, muted }, effects) {
  const names = NAMES[match.mode];
  const label = { size: 15, colour: COLOURS.quiet };
  write(pen, names.left, 40, 29, { ...label, align: "left" });
  write(pen, names.right, 1240, 29, { ...label, align: "right" });
  for (let i = 0; i < RULES.pointsToWin; i += 1) {
    point(pen, 230 + i * 26, "left", i < match.score.left);
    point(pen, 1050 - i * 26, "right", i < match.score.right);
  }
  for (const [side, x] of [["left", 480], ["right", 800]]) {
    const swell = effects.swell[side];
    const size = 38 * (1 + 0.3 * Math.sin(Math.PI * swell) * swell);
    write(pen, String(match.score[side]), x, 36 - size / 2, { size, colour: COLOURS[side], weight: 4 });
  }
  write(pen, middleLabel(match) + (muted ? "  - muted" : ""), 640, 29, { size: 15, colour: COLOURS.brass });
}

function middleLabel(match) {
  if (VARIANT.heat && match.rally >= 1) return `× ${(match.speed / BALL.serveSpeed).toFixed(2)}`;
  return match.rally >= 2 ? `Rally ${match.rally}` : match.mode;
}

function point(pen, x, side, won) {
  pen.fillStyle = won ? COLOURS[side] : faded(COLOURS.brass, 0.08);
  pen.strokeStyle = won ? COLOURS[side] : faded(COLOURS.brass, 0.45);
  pen.lineWidth = 1.5;
  diamond(pen, x, 36, 7);
  pen.stroke();
}

function paintPaused(pen) {
  paintShade(pen, 0.62);
  pen.fillStyle = COLOURS.brass;
  diamond(pen, 640, 286, 9);
  write(pen, "Paused", 640, 332, { size: 54, colour: COLOURS.brass, weight: 5.4, spacing: 15 });
  write(pen, "P go on    R restart    Q title", 640, 442, { size: 15, colour: COLOURS.quiet, weight: 1.7 });
}

function paintWon(pen, match) {
  const name = NAMES[match.mode][match.winner];
  const colour = COLOURS[match.winner];
  paintShade(pen, 0.62);
  pen.fillStyle = colour;
  diamond(pen, 640, 250, 9);
  write(pen, name === "You" ? "You win" : `${name} wins`, 640, 296, { size: 64, colour, weight: 6.5, spacing: 16 });
  const score = `${match.score.left} : ${match.score.right}`;
  write(pen, score, 640, 408, { size: 34, colour: COLOURS.text, weight: 3.6, spacing: 10 });
  write(pen, "Enter rematch    Escape title", 640, 486, { size: 15, colour: COLOURS.quiet, weight: 1.7 });
}
