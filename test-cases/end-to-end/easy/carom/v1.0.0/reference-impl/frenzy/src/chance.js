/** The one source of chance in a match: a 32-bit generator whose whole state is one integer. */
export class Chance {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** The next unsigned 32-bit integer. */
  integer() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  }

  /** An even draw from `low` up to `high`. */
  between(low, high) {
    return low + (high - low) * (this.integer() / 4294967296);
  }
}
