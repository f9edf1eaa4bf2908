/**
 * One match: the rules, advanced tick by tick. Knows nothing of keys, screens or drawing.
 *
 * `advance` returns what happened in the tick, for whoever draws or sounds it:
 * `{ kind: "serve" | "stroke" | "cushion" | "goal" | "won", side?, x, y, speed, spin }`.
 */
import { Chance } from "./chance.js";
import { House } from "./house.js";
import { BALL, FELT, PADDLE, RULES, SIDES, TICK, TICK_RATE, WIDTH } from "./table.js";

const MOST_CONTACTS = 4096;

export class Match {
  constructor(seed, mode) {
    this.seed = seed;
    this.mode = mode;
    this.chance = new Chance(seed);
    this.house = mode === "solo" ? new House(this.chance) : null;
    this.tick = 0;
    this.rally = 0;
    this.score = { left: 0, right: 0 };
    this.winner = null;
    this.left = { y: FELT.middle, vy: 0 };
    this.right = { y: FELT.middle, vy: 0 };
    this.receiver = null;
    this.rest();
  }

  get speed() {
    return Math.hypot(this.ball.vx, this.ball.vy);
  }

  /** How hot the rally is: 0 at the speed of a serve, towards 1 without end. */
  get heat() {
    return this.restTicks > 0 ? 0 : Math.max(0, 1 - BALL.serveSpeed / Math.max(this.speed, 1));
  }

  /** Advances one tick. `left` and `right` are velocities that the paddles are told to have. */
  advance(left, right) {
    this.tick += 1;
    movePaddle(this.left, left);
    movePaddle(this.right, right);
    const events = [];
    if (this.restTicks > 0) {
      this.restTicks -= 1;
      if (this.restTicks === 0) events.push(this.serve());
      return events;
    }
    this.bend();
    this.fly(events);
    return events;
  }

  rest() {
    this.ball = { x: FELT.centre, y: FELT.middle, vx: 0, vy: 0, spin: 0 };
    this.rally = 0;
    this.restTicks = RULES.restTicks;
  }

  serve() {
    const toss = this.chance.integer() & 1 ? "left" : "right";
    const angle = this.chance.between(-RULES.serveAngle, RULES.serveAngle);
    const towards = this.receiver ?? toss;
    this.ball.vx = -SIDES[towards].away * BALL.serveSpeed * Math.cos(angle);
    this.ball.vy = BALL.serveSpeed * Math.sin(angle);
    return this.event("serve", towards);
  }

  /** Turns the flight by this tick's spin, and lets the spin die away a little. */
  bend() {
    const { ball } = this;
    if (ball.spin === 0) return;
    const speed = this.speed;
    const heading = ball.vx < 0 ? -1 : 1;
    const slope = Math.atan2(ball.vy, Math.abs(ball.vx));
    const limit = Math.max(RULES.steepest, Math.abs(slope));
    const bent = clamp(slope + ball.spin * TICK, -limit, limit);
    ball.vx = heading * speed * Math.cos(bent);
    ball.vy = speed * Math.sin(bent);
    ball.spin *= 0.5 ** (TICK / RULES.spinHalfLife);
    if (Math.abs(ball.spin) < 1e-4) ball.spin = 0;
  }

  /** Moves the ball through one tick, contact by contact, in the order in which they happen. */
  fly(events) {
    const { ball } = this;
    let left = TICK;
    for (let contacts = 0; contacts < MOST_CONTACTS; contacts += 1) {
      const cushion = timeTo(ball.y, ball.vy, ball.vy < 0 ? BALL.top : BALL.bottom);
      const side = ball.vx < 0 ? "left" : "right";
      const line = SIDES[side].line;
      const ahead = side === "left" ? ball.x > line : ball.x < line;
      const stroke = ahead ? timeTo(ball.x, ball.vx, line) : Infinity;
      const next = Math.min(cushion, stroke);
      if (next > left) break;
      left -= next;
      ball.x += ball.vx * next;
      ball.y += ball.vy * next;
      if (cushion <= stroke) events.push(this.bounce());
      if (stroke <= cushion) {
        ball.x = line;
        if (Math.abs(ball.y - this[side].y) <= RULES.reach) events.push(this.stroke(side));
      }
    }
    ball.x += ball.vx * left;
    ball.y = clamp(ball.y + ball.vy * left, BALL.top, BALL.bottom);
    if (ball.x < -BALL.radius) this.goal("right", events);
    else if (ball.x > WIDTH + BALL.radius) this.goal("left", events);
  }

  bounce() {
    const { ball } = this;
    ball.y = ball.vy < 0 ? BALL.top : BALL.bottom;
    ball.vy = -ball.vy;
    ball.spin *= RULES.cushionSpin;
    return this.event("cushion");
  }

  stroke(side) {
    const { ball } = this;
    const paddle = this[side];
    const offset = clamp((ball.y - paddle.y) / RULES.reach, -1, 1);
    const angle = offset * RULES.strokeAngle;
    const speed = Math.min(this.speed * RULES.strokeGain, RULES.maxSpeed);
    ball.vx = SIDES[side].away * speed * Math.cos(angle);
    ball.vy = speed * Math.sin(angle);
    ball.spin = RULES.maxSpin * (paddle.vy / PADDLE.speed);
    this.rally += 1;
    return this.event("stroke", side);
  }

  goal(side, events) {
    events.push(this.event("goal", side));
    this.score[side] += 1;
    if (this.score[side] >= RULES.pointsToWin) {
      this.winner = side;
      events.push(this.event("won", side));
      return;
    }
    this.receiver = SIDES[side].other;
    this.rest();
  }

  event(kind, side) {
    const { x, y, spin } = this.ball;
    return { kind, side, x, y, spin, speed: this.speed };
  }

  /** The match as plain numbers, for whoever wants to look. */
  snapshot() {
    const { ball, left, right, score } = this;
    return {
      mode: this.mode,
      seed: this.seed,
      tick: this.tick,
      time: this.tick / TICK_RATE,
      serveIn: this.restTicks / TICK_RATE,
      rally: this.rally,
      score: { ...score },
      winner: this.winner,
      ball: { ...ball },
      left: { ...left },
      right: { ...right },
    };
  }
}

function movePaddle(paddle, velocity) {
  const wanted = paddle.y + velocity * TICK;
  const y = clamp(wanted, PADDLE.top, PADDLE.bottom);
  paddle.vy = y === wanted ? velocity : 0;
  paddle.y = y;
}

/** Time until `position` reaches `goal` at `velocity`; 0 where it is there or past it. */
function timeTo(position, velocity, goal) {
  if (velocity === 0) return Infinity;
  return Math.max(0, (goal - position) / velocity);
}

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}
