/**
 * What the eye gets beside the simulation: the trail, sparks, rings, glints. It listens to the match
 * and never touches it. Ages count in ticks while the match runs, so that slow motion slows all of it.
 */
import { Chance } from "./chance.js";
import { COLOURS } from "./palette.js";
import { FELT, RULES, SIDES, TICK, TICK_RATE, WIDTH } from "./table.js";
import { VARIANT } from "./variant.js";

export class Effects {
  constructor() {
    this.chance = new Chance(7);
    this.clear();
  }

  clear() {
    this.trail = [];
    this.sparks = [];
    this.rings = [];
    this.flash = { left: 0, right: 0 };
    this.swell = { left: 0, right: 0 };
    this.striker = null;
    this.roll = 0.5;
  }

  hear(event, match) {
    const on = this[`on_${event.kind}`];
    if (on) on.call(this, event, match);
  }

  on_start() {
    this.clear();
  }

  on_place() {
    this.trail = [];
  }

  on_tick(_, match) {
    const { ball } = match;
    this.age(TICK);
    this.roll += ball.spin * TICK * 6 * (ball.vx < 0 ? -1 : 1);
    if (match.restTicks > 0) return;
    this.trail.push({ x: ball.x, y: ball.y });
    const seconds = VARIANT.heat ? 0.35 + 0.25 * match.heat : 0.35;
    while (this.trail.length > seconds * TICK_RATE) this.trail.shift();
  }

  on_serve(event) {
    this.trail = [];
    this.striker = null;
    this.rings.push({ x: event.x, y: event.y, age: 0, life: 0.5, from: 14, to: 46, colour: COLOURS.brass });
  }

  on_stroke(event) {
    const { side, x, y, spin, speed } = event;
    this.striker = side;
    this.flash[side] = 1;
    this.trail.push({ x, y });
    this.rings.push({ x, y, age: 0, life: 0.35, from: 12, to: 44, colour: COLOURS[side] });
    const count = 8 + Math.round(8 * Math.abs(spin / RULES.maxSpin));
    this.burst(x, y, count, COLOURS[side], SIDES[side].away > 0 ? 0 : Math.PI, 1.1, Math.min(speed * 0.5, 500), spin * 130);
  }

  on_cushion({ x, y }) {
    this.trail.push({ x, y });
    const up = y > FELT.middle;
    this.rings.push({ x, y: up ? FELT.bottom : FELT.top, age: 0, life: 0.3, from: 6, to: 40, colour: COLOURS.brass, flat: true });
    this.burst(x, up ? FELT.bottom - 2 : FELT.top + 2, 5, COLOURS.brass, up ? -Math.PI / 2 : Math.PI / 2, 1.2, 150, 0);
  }

  on_goal({ side, y }) {
    this.swell[side] = 1;
    const right = side === "left";
    this.burst(right ? WIDTH : 0, y, 34, COLOURS[side], right ? Math.PI : 0, 1.5, 520, 0);
    this.trail = [];
  }

  burst(x, y, count, colour, towards, spread, speed, lift) {
    for (let i = 0; i < count; i += 1) {
      const angle = towards + this.chance.between(-spread, spread);
      const pace = speed * this.chance.between(0.25, 1);
      this.sparks.push({
        x,
        y,
        vx: Math.cos(angle) * pace,
        vy: Math.sin(angle) * pace + lift,
        age: 0,
        life: this.chance.between(0.25, 0.7),
        colour,
      });
    }
    if (this.sparks.length > 240) this.sparks.splice(0, this.sparks.length - 240);
  }

  /** Lets everything that fades grow older by `seconds`. */
  age(seconds) {
    const drag = Math.exp(-3.2 * seconds);
    for (const spark of this.sparks) {
      spark.age += seconds;
      spark.x += spark.vx * seconds;
      spark.y += spark.vy * seconds;
      spark.vx *= drag;
      spark.vy *= drag;
    }
    for (const ring of this.rings) ring.age += seconds;
    this.sparks = this.sparks.filter((spark) => spark.age < spark.life);
    this.rings = this.rings.filter((ring) => ring.age < ring.life);
    for (const side of ["left", "right"]) {
      this.flash[side] = Math.max(0, this.flash[side] - seconds / 0.2);
      this.swell[side] = Math.max(0, this.swell[side] - seconds / 0.4);
    }
  }
}
