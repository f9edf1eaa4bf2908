/**
 * A build that cheats: no game, only a debug interface that answers from the recording of a real
 * one, echoes what was placed, follows the keys from screen to screen, and plays the recorded
 * sounds. Nothing is ever drawn on its canvas.
 */
(() => {
  let audio = null;
  let tick = 0;
  let placed = {};
  let clock = "real";
  let last = performance.now();
  const state = { screen: "title", mode: "solo", menu: 0, seed: 1, muted: false };

  const recorded = () => {
    const row = window.RECORDED[Math.min(window.RECORDED.length - 1, Math.floor(tick / 4))];
    const [serveIn, rally, left, right, x, y, vx, vy, spin, leftY, leftVy, rightY, rightVy] = row;
    return {
      ...state,
      tick,
      time: tick / 120,
      serveIn: placed.ball ? 0 : serveIn,
      rally,
      score: { left, right, ...placed.score },
      winner: null,
      ball: { x, y, vx, vy, spin, ...placed.ball },
      left: { y: leftY, vy: leftVy, ...placed.left },
      right: { y: rightY, vy: rightVy, ...placed.right },
    };
  };

  const advance = (ticks) => {
    if (state.screen !== "playing") return;
    const before = Math.floor(tick / 4);
    tick += ticks;
    if (ticks > 0) placed = { score: placed.score };
    const heard = window.RECORDED.slice(before + 1, Math.floor(tick / 4) + 1).some((row) => row.at(-1) > 0);
    if (!heard || !audio || state.muted) return;
    const tone = new OscillatorNode(audio);
    tone.connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.05);
  };

  const begin = (options = {}) => {
    Object.assign(state, { screen: "playing", mode: "solo", seed: 1, menu: 0 }, options);
    tick = 0;
    placed = {};
  };

  window.__carom = {
    version: "1.0",
    reset(options) {
      begin(options);
      clock = "manual";
      return recorded();
    },
    step(seconds) {
      clock = "manual";
      advance(Math.round(seconds * 120));
      return recorded();
    },
    snapshot: recorded,
    place(patch) {
      placed = { ...placed, ...patch };
      return recorded();
    },
    hold() {},
    release() {},
    clock(kind) {
      clock = kind;
      return recorded();
    },
  };

  const frame = (at) => {
    if (clock === "real") advance(Math.floor(((at - last) / 1000) * 120));
    last = at;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);

  addEventListener("keydown", ({ code }) => {
    audio ??= new AudioContext();
    if (code === "KeyM") state.muted = !state.muted;
    else if (state.screen === "title" && /ArrowUp|KeyW/.test(code)) state.menu = 0;
    else if (state.screen === "title" && /ArrowDown|KeyS/.test(code)) state.menu = 1;
    else if (state.screen === "title" && code === "Enter") begin({ mode: ["solo", "versus"][state.menu] });
    else if (state.screen === "playing" && code === "KeyP") state.screen = "paused";
    else if (state.screen === "paused" && code === "KeyP") state.screen = "playing";
  });
})();
