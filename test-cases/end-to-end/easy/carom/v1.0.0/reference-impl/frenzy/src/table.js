/** Measures of the table and the numbers of the rules, in units of the logical 1280 x 720 picture. */
import { VARIANT } from "./variant.js";

export const WIDTH = 1280;
export const HEIGHT = 720;
export const TICK_RATE = 120;
export const TICK = 1 / TICK_RATE;

export const FELT = { top: 96, bottom: 696, middle: 396, centre: 640 };

export const PADDLE = { width: 18, height: 120, speed: 560, top: 156, bottom: 636 };

export const BALL = { radius: 11, serveSpeed: 520, top: 107, bottom: 685 };

/** `line`: where a stroke happens; `x`: the paddle's centre; `away`: the sign of vx after a stroke. */
export const SIDES = {
  left: { x: 60, line: 80, away: 1, other: "right" },
  right: { x: 1220, line: 1200, away: -1, other: "left" },
};

export const RULES = {
  reach: PADDLE.height / 2 + BALL.radius,
  strokeAngle: radians(50),
  serveAngle: radians(20),
  steepest: radians(72),
  maxSpin: 1.4,
  spinHalfLife: 0.4,
  cushionSpin: -0.5,
  restTicks: TICK_RATE,
  pointsToWin: 7,
  ...VARIANT.rules,
};

export const HOUSE = { speed: 360, lookTicks: 30, error: 0.1, slack: 8 };

function radians(degrees) {
  return (degrees * Math.PI) / 180;
}
