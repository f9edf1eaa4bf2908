/** The debug interface, `window.__carom`: sets up situations, advances time by hand, reads the state. */
import { MODES } from "./game.js";
import { PADDLE, TICK_RATE } from "./table.js";

export function debugInterface(game) {
  return {
    version: "1.0",

    reset(options = {}) {
      check(isObject(options), "reset takes an object of options");
      const { seed = 1, mode = "solo", screen = "playing" } = options;
      check(Number.isInteger(seed) && seed >= 0 && seed <= 0xffffffff, "seed is an unsigned 32-bit integer");
      check(MODES.includes(mode), 'mode is "solo" or "versus"');
      check(screen === "playing" || screen === "title", 'screen is "playing" or "title"');
      game.clock = "manual";
      game.menu = 0;
      game.begin(seed, mode, screen);
      return game.snapshot();
    },

    step(seconds) {
      check(Number.isFinite(seconds) && seconds >= 0, "step takes seconds, a number of at least 0");
      game.clock = "manual";
      game.step(seconds);
      return game.snapshot();
    },

    snapshot: () => game.snapshot(),

    place(patch) {
      check(isObject(patch), "place takes an object");
      const { match } = game;
      const { ball, left, right, score, serveIn } = patch;
      check(serveIn === undefined || (Number.isFinite(serveIn) && serveIn >= 0), "serveIn is seconds");
      const numbers = [
        [match.ball, ball, ["x", "y", "vx", "vy", "spin"], "ball"],
        [match.left, left, ["y"], "left"],
        [match.right, right, ["y"], "right"],
        [match.score, score, ["left", "right"], "score"],
      ];
      for (const [, part, names, what] of numbers) checkNumbers(part, names, what);
      for (const [target, part] of numbers) Object.assign(target, part);
      for (const side of [match.left, match.right]) {
        side.y = Math.min(PADDLE.bottom, Math.max(PADDLE.top, side.y));
      }
      if (serveIn !== undefined) match.restTicks = Math.round(serveIn * TICK_RATE);
      else if (ball !== undefined) match.restTicks = 0;
      if (ball !== undefined) game.tell({ kind: "place" });
      return game.snapshot();
    },

    hold(side, direction) {
      check(side === "left" || side === "right", 'side is "left" or "right"');
      check([-1, 0, 1].includes(direction), "direction is -1, 0 or 1");
      game.held[side] = direction;
    },

    release(side) {
      check(side === "left" || side === "right", 'side is "left" or "right"');
      delete game.held[side];
    },

    clock(kind) {
      check(kind === "real" || kind === "manual", 'clock is "real" or "manual"');
      game.clock = kind;
      game.debt = 0;
      return game.snapshot();
    },
  };
}

function check(holds, expected) {
  if (!holds) throw new TypeError(`__carom: ${expected}`);
}

function checkNumbers(part, names, what) {
  if (part === undefined) return;
  check(isObject(part), `${what} is an object`);
  for (const [name, value] of Object.entries(part)) {
    check(names.includes(name), `${what} may hold ${names.join(", ")}, not ${name}`);
    check(Number.isFinite(value), `${what}.${name} is a number`);
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
