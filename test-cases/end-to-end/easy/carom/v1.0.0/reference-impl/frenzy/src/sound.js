/** Synthesized sounds. Hears the same events as the effects do; silent until a person acts. */
import { BALL } from "./table.js";
import { VARIANT } from "./variant.js";

const MOST_AT_ONCE = 8;

export class Sound {
  constructor() {
    this.context = null;
    this.muted = false;
    this.burst = 0;
  }

  /** Called from a key press or a click, where browsers allow sound to begin. */
  unlock() {
    if (!this.context) {
      this.context = new AudioContext();
      const limiter = new DynamicsCompressorNode(this.context, { threshold: -14, ratio: 12 });
      limiter.connect(this.context.destination);
      this.out = limiter;
    }
    if (this.context.state === "suspended") this.context.resume().catch(() => {});
  }

  hear(event) {
    if (!this.context || this.muted) return;
    const play = this[`on_${event.kind}`];
    if (!play || this.burst >= MOST_AT_ONCE) return;
    if (this.burst === 0) setTimeout(() => (this.burst = 0), 0);
    this.burst += 1;
    play.call(this, event);
  }

  on_stroke({ speed }) {
    const heat = 1 - BALL.serveSpeed / Math.max(speed, BALL.serveSpeed);
    this.tone({ type: "triangle", from: 523 * (1 + heat * (VARIANT.heat ? 1 : 0.3)), seconds: 0.08, gain: 0.22 });
  }

  on_cushion() {
    this.tone({ type: "sine", from: 330, seconds: 0.06, gain: 0.2 });
  }

  on_goal() {
    this.tone({ type: "sawtooth", from: 220, to: 110, seconds: 0.3, gain: 0.12 });
  }

  on_won() {
    for (const [i, from] of [392, 523, 784].entries()) {
      this.tone({ type: "triangle", from, seconds: 0.22, gain: 0.18, after: 0.14 * i });
    }
  }

  on_menu() {
    this.tone({ type: "square", from: 660, seconds: 0.03, gain: 0.06 });
  }

  tone({ type, from, to = from, seconds, gain, after = 0 }) {
    const { context } = this;
    const start = context.currentTime + after;
    const source = new OscillatorNode(context, { type, frequency: from });
    source.frequency.setValueAtTime(from, start);
    source.frequency.exponentialRampToValueAtTime(to, start + seconds);
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(gain, start + 0.004);
    volume.gain.exponentialRampToValueAtTime(0.0005, start + seconds);
    source.connect(volume).connect(this.out);
    source.start(start);
    source.stop(start + seconds + 0.02);
  }
}
