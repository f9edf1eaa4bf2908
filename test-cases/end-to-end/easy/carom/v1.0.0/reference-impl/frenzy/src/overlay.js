/** The debug overlay: live numbers of the simulation, and lines for what it means to do. */
import { meetingPoint } from "./house.js";
import { COLOURS, faded } from "./palette.js";
import { SIDES } from "./table.js";

const LINE = 17;

export function paintOverlay(pen, game, framesPerSecond) {
  const { match } = game;
  const { ball } = match;
  paintVectors(pen, match);
  const degrees = (Math.atan2(ball.vy, ball.vx) * 180) / Math.PI;
  const rows = [
    `${framesPerSecond.toFixed(0)} fps   tick ${match.tick}   ${game.clock} clock`,
    `seed ${match.seed}   ${game.screen}   ${match.mode}   rally ${match.rally}`,
    `ball ${ball.x.toFixed(1)}, ${ball.y.toFixed(1)}   serve in ${(match.restTicks / 120).toFixed(2)}`,
    `speed ${match.speed.toFixed(1)}   heading ${degrees.toFixed(1)}°   spin ${ball.spin.toFixed(3)}`,
    `left ${match.left.y.toFixed(1)} (${match.left.vy})   right ${match.right.y.toFixed(1)} (${match.right.vy})`,
  ];
  const height = rows.length * LINE + 16;
  pen.fillStyle = `rgba(${COLOURS.shade}, 0.72)`;
  pen.beginPath();
  pen.roundRect(12, 690 - height, 372, height, 6);
  pen.fill();
  pen.font = "13px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
  pen.textBaseline = "top";
  pen.fillStyle = COLOURS.text;
  for (const [i, row] of rows.entries()) pen.fillText(row, 24, 690 - height + 9 + i * LINE);
}

function paintVectors(pen, match) {
  const { ball, house } = match;
  pen.lineWidth = 1.5;
  pen.strokeStyle = faded(COLOURS.text, 0.7);
  pen.beginPath();
  pen.moveTo(ball.x, ball.y);
  pen.lineTo(ball.x + ball.vx * 0.15, ball.y + ball.vy * 0.15);
  pen.stroke();
  if (!house) return;
  pen.strokeStyle = faded(COLOURS.right, 0.8);
  pen.setLineDash([6, 6]);
  pen.beginPath();
  if (match.restTicks === 0 && ball.vx > 0) {
    const y = meetingPoint(ball);
    pen.moveTo(SIDES.right.line - 14, y);
    pen.lineTo(SIDES.right.line + 14, y);
  }
  pen.moveTo(SIDES.right.line - 30, house.target);
  pen.lineTo(SIDES.right.line + 50, house.target);
  pen.stroke();
  pen.setLineDash([]);
}
