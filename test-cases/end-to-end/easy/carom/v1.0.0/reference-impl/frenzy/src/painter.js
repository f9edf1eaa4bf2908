/** Draws the table and what is on it. Reads the game, changes nothing. */
import { COLOURS, faded, mixed } from "./palette.js";
import { BALL, FELT, HEIGHT, PADDLE, RULES, SIDES, WIDTH } from "./table.js";
import { VARIANT } from "./variant.js";

/** The parts that never move, drawn once per window size into a canvas of their own. */
export function paintTable(pen) {
  pen.fillStyle = COLOURS.strip;
  pen.fillRect(0, 0, WIDTH, FELT.top);
  const lamp = pen.createRadialGradient(640, FELT.middle, 0, 640, FELT.middle, 740);
  lamp.addColorStop(0, COLOURS.lamp);
  lamp.addColorStop(0.5, COLOURS.felt);
  lamp.addColorStop(1, COLOURS.corner);
  pen.fillStyle = lamp;
  pen.fillRect(0, FELT.top, WIDTH, FELT.bottom - FELT.top);
  for (const y of [FELT.top - 24, FELT.bottom]) paintCushion(pen, y);
}

function paintCushion(pen, y) {
  const wood = pen.createLinearGradient(0, y, 0, y + 24);
  wood.addColorStop(0, COLOURS.walnut[0]);
  wood.addColorStop(1, COLOURS.walnut[1]);
  pen.fillStyle = wood;
  pen.fillRect(0, y, WIDTH, 24);
  pen.strokeStyle = "rgba(0, 0, 0, 0.16)";
  pen.lineWidth = 1;
  for (let i = 0; i < 5; i += 1) {
    pen.beginPath();
    for (let x = 0; x <= WIDTH; x += 16) {
      const grain = y + 3.5 + i * 4.3 + Math.sin(x * 0.011 * (1 + i * 0.23) + i * 2.1 + y) * 1.3;
      if (x === 0) pen.moveTo(x, grain);
      else pen.lineTo(x, grain);
    }
    pen.stroke();
  }
  pen.fillStyle = faded(COLOURS.brass, 0.28);
  pen.fillRect(0, y === FELT.bottom ? y : y + 22.6, WIDTH, 1.4);
  pen.fillStyle = COLOURS.brass;
  for (let x = 80; x < WIDTH; x += 160) diamond(pen, x, y + 12, 5);
}

/** Felt that glows with the rally's heat, then the players' ends and, for a match, the lines. */
export function paintFelt(pen, heat, lines) {
  if (heat > 0) {
    const ember = pen.createRadialGradient(640, FELT.middle, 0, 640, FELT.middle, 640);
    ember.addColorStop(0, faded(COLOURS.ember, 0.9 * heat));
    ember.addColorStop(0.55, faded(COLOURS.ember, 0.34 * heat));
    ember.addColorStop(1, faded(COLOURS.ember, 0));
    pen.fillStyle = ember;
    pen.fillRect(0, FELT.top, WIDTH, FELT.bottom - FELT.top);
  }
  if (lines) paintLines(pen);
  for (const side of ["left", "right"]) {
    const [end, inner] = side === "left" ? [0, 110] : [WIDTH, WIDTH - 110];
    const glow = pen.createLinearGradient(end, 0, inner, 0);
    glow.addColorStop(0, faded(COLOURS[side], 0.2));
    glow.addColorStop(0.35, faded(COLOURS[side], 0.07));
    glow.addColorStop(1, faded(COLOURS[side], 0));
    pen.fillStyle = glow;
    pen.fillRect(Math.min(end, inner), FELT.top, 110, FELT.bottom - FELT.top);
  }
}

function paintLines(pen) {
  pen.strokeStyle = faded(COLOURS.line, 0.55);
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(FELT.centre, FELT.top);
  pen.lineTo(FELT.centre, FELT.bottom);
  pen.moveTo(FELT.centre + 96, FELT.middle);
  pen.arc(FELT.centre, FELT.middle, 96, 0, 2 * Math.PI);
  pen.stroke();
}

export function diamond(pen, x, y, r) {
  pen.beginPath();
  pen.moveTo(x, y - r);
  pen.lineTo(x + r, y);
  pen.lineTo(x, y + r);
  pen.lineTo(x - r, y);
  pen.closePath();
  pen.fill();
}

export function paintPaddle(pen, side, y, flash) {
  const { x } = SIDES[side];
  const top = y - PADDLE.height / 2;
  const left = x - PADDLE.width / 2;
  const halo = pen.createRadialGradient(x, y, 10, x, y, 110);
  halo.addColorStop(0, faded(COLOURS[side], 0.26 + 0.3 * flash));
  halo.addColorStop(1, faded(COLOURS[side], 0));
  onFelt(pen, () => {
    pen.translate(x, 0);
    pen.scale(0.42, 1);
    pen.translate(-x, 0);
    pen.fillStyle = halo;
    pen.fillRect(x - 110, y - 110, 220, 220);
  });
  pen.fillStyle = "rgba(0, 0, 0, 0.28)";
  rounded(pen, left + 3, top + 6, PADDLE.width, PADDLE.height);
  pen.fillStyle = COLOURS[side];
  rounded(pen, left, top, PADDLE.width, PADDLE.height);
  const face = SIDES[side].away;
  pen.fillStyle = `rgba(255, 255, 255, ${0.22 + 0.7 * flash})`;
  pen.beginPath();
  pen.roundRect(face > 0 ? left + PADDLE.width - 4 : left + 1, top + 7, 3, PADDLE.height - 14, 1.5);
  pen.fill();
}

function rounded(pen, x, y, width, height) {
  pen.beginPath();
  pen.roundRect(x, y, width, height, width / 2);
  pen.fill();
}

export function paintBall(pen, { x, y }, roll, glow = 1) {
  const halo = pen.createRadialGradient(x, y, 6, x, y, 34);
  halo.addColorStop(0, faded(COLOURS.ball, 0.4 * glow));
  halo.addColorStop(1, faded(COLOURS.ball, 0));
  pen.fillStyle = halo;
  pen.fillRect(x - 36, y - 36, 72, 72);
  pen.fillStyle = "rgba(0, 0, 0, 0.3)";
  disc(pen, x + 2.5, y + 5, BALL.radius);
  pen.fillStyle = COLOURS.ball;
  disc(pen, x, y, BALL.radius);
  pen.strokeStyle = "rgba(150, 110, 60, 0.28)";
  pen.lineWidth = 1.6;
  pen.beginPath();
  pen.arc(x, y, BALL.radius - 1.1, 0.2, 1.9);
  pen.stroke();
  pen.fillStyle = COLOURS.mark;
  for (const turn of [roll, roll + Math.PI]) disc(pen, x + 7 * Math.cos(turn), y + 7 * Math.sin(turn), 2.2);
}

function disc(pen, x, y, r) {
  pen.beginPath();
  pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.fill();
}

/** The brass ring that closes around a resting ball; `share` of the rest is still to come. */
export function paintCountdown(pen, { x, y }, share) {
  pen.lineWidth = 2.5;
  pen.lineCap = "round";
  pen.strokeStyle = faded(COLOURS.brass, 0.2);
  pen.beginPath();
  pen.arc(x, y, 30, 0, 2 * Math.PI);
  pen.stroke();
  pen.strokeStyle = COLOURS.brass;
  pen.beginPath();
  pen.arc(x, y, 30, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * (1 - share));
  pen.stroke();
}

/** The ball's last positions as a ribbon that fades and narrows towards its tail. */
export function paintTrail(pen, points, colour, strength = 0.16) {
  const lengths = points.map((point, i) => (i ? Math.hypot(point.x - points[i - 1].x, point.y - points[i - 1].y) : 0));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total < 4) return;
  const gap = Math.max(2.5, total / 480);
  onFelt(pen, () => {
    pen.fillStyle = colour;
    let done = 0;
    let due = gap;
    for (let i = 1; i < points.length; i += 1) {
      for (; due <= done + lengths[i]; due += gap) {
        const share = due / total;
        const along = (due - done) / lengths[i];
        pen.globalAlpha = strength * share * share * Math.min(1.6, gap / 2.5);
        disc(
          pen,
          points[i - 1].x + (points[i].x - points[i - 1].x) * along,
          points[i - 1].y + (points[i].y - points[i - 1].y) * along,
          0.8 + (BALL.radius - 2) * share,
        );
      }
      done += lengths[i];
    }
  });
}

/** Draws with the cushions and the score strip left alone. */
function onFelt(pen, draw) {
  pen.save();
  pen.beginPath();
  pen.rect(0, FELT.top, WIDTH, FELT.bottom - FELT.top);
  pen.clip();
  draw();
  pen.restore();
}

/** Ivory without spin, the striker's colour with all of it. */
export function trailColour(spin, striker, heat) {
  const plain = VARIANT.heat ? mixed(COLOURS.ball, "#FF8A5B", Math.min(1, heat * 1.4)) : COLOURS.ball;
  if (!striker) return plain;
  return mixed(plain, COLOURS[striker], Math.min(1, Math.abs(spin) / (RULES.maxSpin * 0.7)));
}

export function paintEffects(pen, effects) {
  onFelt(pen, () => {
    pen.globalCompositeOperation = "lighter";
    pen.lineCap = "round";
    for (const ring of effects.rings) paintRing(pen, ring);
    for (const spark of effects.sparks) paintSpark(pen, spark);
  });
}

function paintRing(pen, ring) {
  const share = ring.age / ring.life;
  const r = ring.from + (ring.to - ring.from) * (1 - (1 - share) ** 3);
  pen.strokeStyle = faded(ring.colour, 0.75 * (1 - share) ** 2);
  pen.lineWidth = 0.5 + 3 * (1 - share);
  pen.beginPath();
  pen.ellipse(ring.x, ring.y, r, ring.flat ? r * 0.35 : r, 0, 0, 2 * Math.PI);
  pen.stroke();
}

function paintSpark(pen, spark) {
  const share = spark.age / spark.life;
  pen.strokeStyle = faded(spark.colour, 0.9 * (1 - share));
  pen.lineWidth = 0.6 + 2.2 * (1 - share);
  pen.beginPath();
  pen.moveTo(spark.x, spark.y);
  pen.lineTo(spark.x - spark.vx * 0.03, spark.y - spark.vy * 0.03);
  pen.stroke();
}

/** Dims the felt so that lettering on it can be read. */
export function paintShade(pen, alpha) {
  const shade = pen.createRadialGradient(640, FELT.middle, 60, 640, FELT.middle, 760);
  shade.addColorStop(0, `rgba(${COLOURS.shade}, ${alpha * 0.85})`);
  shade.addColorStop(1, `rgba(${COLOURS.shade}, ${Math.min(1, alpha * 1.25)})`);
  pen.fillStyle = shade;
  pen.fillRect(0, FELT.top, WIDTH, HEIGHT - FELT.top - 24);
}
