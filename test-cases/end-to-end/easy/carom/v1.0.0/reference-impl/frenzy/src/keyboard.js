/** Which keys are down, and which were tapped too briefly for a tick to see. */
export class Keyboard {
  constructor() {
    this.down = new Set();
    this.fresh = new Set();
  }

  press(code) {
    this.down.add(code);
    this.fresh.add(code);
  }

  lift(code) {
    this.down.delete(code);
  }

  forget() {
    this.down.clear();
    this.fresh.clear();
  }

  /** Called once a tick, after the tick has read the keys. */
  consume() {
    this.fresh.clear();
  }

  /** -1, 0 or 1: the direction that any of the `up` and `down` keys ask for together. */
  direction(up, down) {
    const asked = (codes) => codes.some((code) => this.down.has(code) || this.fresh.has(code));
    return Number(asked(down)) - Number(asked(up));
  }
}
