/**
 * The game around a match: screens, menu, keys and the clock. Still free of drawing and sound:
 * whoever wants to hear of what happens listens.
 */
import { Keyboard } from "./keyboard.js";
import { Match } from "./match.js";
import { PADDLE, TICK, TICK_RATE } from "./table.js";
import { VARIANT } from "./variant.js";

export const MODES = ["solo", "versus"];
const LONGEST_CATCH_UP = 0.25;

const KEYS = {
  left: { up: ["KeyW"], down: ["KeyS"] },
  right: { up: ["ArrowUp"], down: ["ArrowDown"] },
  solo: { up: ["KeyW", "ArrowUp"], down: ["KeyS", "ArrowDown"] },
};

export class Game {
  /** `listener(event, match)` hears each event of a match, and `menu`, `start`, `screen`. */
  constructor(seed, listener) {
    this.listener = listener;
    this.keyboard = new Keyboard();
    this.menu = 0;
    this.muted = false;
    this.overlay = false;
    this.clock = "real";
    this.debt = 0;
    this.held = {};
    this.begin(seed, "solo", "title");
  }

  begin(seed, mode, screen = "playing") {
    this.match = new Match(seed, mode);
    this.held = {};
    this.debt = 0;
    this.keyboard.fresh.clear();
    this.screen = screen;
    this.tell({ kind: "start" });
  }

  /** Another match, its seed drawn from the last one, so that a whole evening replays. */
  again(mode = this.match.mode) {
    this.begin(this.match.chance.integer(), mode);
  }

  show(screen) {
    this.screen = screen;
    this.keyboard.fresh.clear();
    this.debt = 0;
    if (screen === "title") this.menu = 0;
    this.tell({ kind: "screen" });
  }

  tell(event) {
    this.listener(event, this.match);
  }

  // ---- time

  /** Lets `seconds` of real time pass. */
  elapse(seconds) {
    if (this.clock !== "real" || this.screen !== "playing") return;
    this.debt += Math.min(seconds, LONGEST_CATCH_UP);
    while (this.debt >= TICK && this.screen === "playing") {
      this.debt -= TICK;
      this.advance();
    }
  }

  /** Advances by whole ticks, as far as the match goes. */
  step(seconds) {
    const ticks = Math.round(seconds * TICK_RATE);
    for (let i = 0; i < ticks && this.screen === "playing"; i += 1) this.advance();
  }

  advance() {
    const { match } = this;
    const events = match.advance(this.velocity("left"), this.velocity("right"));
    this.keyboard.consume();
    this.tell({ kind: "tick" });
    for (const event of events) this.tell(event);
    if (match.winner) this.show("won");
  }

  velocity(side) {
    if (side in this.held) return this.held[side] * PADDLE.speed;
    const solo = this.match.mode === "solo";
    if (side === "right" && solo) return this.match.house.decide(this.match);
    const keys = solo ? KEYS.solo : KEYS[side];
    return this.keyboard.direction(keys.up, keys.down) * PADDLE.speed;
  }

  // ---- keys

  /** A key went down. Returns whether the game has a use for it. */
  press(code) {
    if (this.pressAnywhere(code)) return true;
    const act = this[`press_${this.screen}`];
    return act.call(this, code);
  }

  pressAnywhere(code) {
    if (code === "KeyM") this.muted = !this.muted;
    else if (code === "Backquote" || code === "F3") this.overlay = !this.overlay;
    else return false;
    return true;
  }

  press_title(code) {
    if (code === "ArrowUp" || code === "KeyW") this.choose(this.menu - 1);
    else if (code === "ArrowDown" || code === "KeyS") this.choose(this.menu + 1);
    else if (code === "Enter" || code === "Space") this.again(MODES[this.menu]);
    else if (code === "Digit1" || code === "Digit2") this.again(MODES[Number(code.at(-1)) - 1]);
    else return false;
    return true;
  }

  press_playing(code) {
    if (code === "KeyP" || code === "Escape") {
      this.show("paused");
      return true;
    }
    const ours = ["KeyW", "KeyS", "ArrowUp", "ArrowDown"].includes(code);
    if (ours) this.keyboard.press(code);
    return ours || code === "Space";
  }

  press_paused(code) {
    if (code === "KeyP" || code === "Escape") this.show("playing");
    else if (code === "KeyR") this.again();
    else if (code === "KeyQ") this.show("title");
    else return false;
    return true;
  }

  press_won(code) {
    if (code === "Enter" || code === "Space") this.again();
    else if (code === "Escape") this.show("title");
    else return false;
    return true;
  }

  lift(code) {
    this.keyboard.lift(code);
  }

  choose(entry) {
    const menu = Math.min(MODES.length - 1, Math.max(0, entry));
    if (menu === this.menu) return;
    this.menu = menu;
    this.tell({ kind: "menu" });
  }

  /** The tab was hidden. */
  leave() {
    this.keyboard.forget();
    if (this.screen === "playing" && this.clock === "real") this.show("paused");
  }

  snapshot() {
    const { screen, menu, muted, match } = this;
    const heat = VARIANT.heat ? { heat: match.heat } : {};
    return { screen, menu, ...match.snapshot(), ...heat, muted };
  }
}
