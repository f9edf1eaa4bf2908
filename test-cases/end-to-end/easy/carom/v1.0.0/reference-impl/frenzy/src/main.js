/** Puts the game together with the page: canvas, frames, keys, pointer, sound, debug interface. */
import { debugInterface } from "./debug.js";
import { Effects } from "./effects.js";
import { Game, MODES } from "./game.js";
import { paintOverlay } from "./overlay.js";
import { paintTable } from "./painter.js";
import { COLOURS } from "./palette.js";
import { ENTRIES, paintScreen } from "./screens.js";
import { Sound } from "./sound.js";
import { HEIGHT, WIDTH } from "./table.js";

const canvas = document.getElementById("table");
const pen = canvas.getContext("2d", { alpha: false });
const table = document.createElement("canvas");
const effects = new Effects();
const sound = new Sound();
const seed = crypto.getRandomValues(new Uint32Array(1))[0];
const game = new Game(seed, (event, match) => {
  effects.hear(event, match);
  sound.hear(event);
});

document.body.style.background = COLOURS.page;
window.__carom = debugInterface(game);

function fit() {
  const width = Math.min(window.innerWidth, (window.innerHeight * WIDTH) / HEIGHT);
  const height = (width * HEIGHT) / WIDTH;
  const density = window.devicePixelRatio || 1;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  for (const surface of [canvas, table]) {
    surface.width = Math.max(1, Math.round(width * density));
    surface.height = Math.max(1, Math.round(height * density));
  }
  const under = table.getContext("2d", { alpha: false });
  under.scale(table.width / WIDTH, table.height / HEIGHT);
  paintTable(under);
}

let framesPerSecond = 60;
let last = performance.now();

function frame(now) {
  const seconds = Math.max(0, (now - last) / 1000);
  last = now;
  if (seconds > 0) framesPerSecond += (1 / seconds - framesPerSecond) * 0.06;
  game.elapse(seconds);
  if (game.screen === "won") effects.age(seconds);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.drawImage(table, 0, 0);
  pen.setTransform(canvas.width / WIDTH, 0, 0, canvas.height / HEIGHT, 0, 0);
  paintScreen(pen, game, effects, now);
  if (game.overlay) paintOverlay(pen, game, framesPerSecond);
  requestAnimationFrame(frame);
}

window.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  sound.unlock();
  const used = event.repeat ? isOurs(event.code) : game.press(event.code);
  sound.muted = game.muted;
  if (used) event.preventDefault();
});

/** A repeated key does nothing new, but must not scroll the page either. */
function isOurs(code) {
  return code.startsWith("Arrow") || code === "Space" || code === "F3";
}

window.addEventListener("keyup", (event) => game.lift(event.code));
window.addEventListener("blur", () => game.keyboard.forget());
window.addEventListener("resize", fit);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) game.leave();
});

canvas.addEventListener("pointerdown", (event) => {
  sound.unlock();
  const entry = entryAt(event);
  if (entry >= 0) game.again(MODES[entry]);
});

canvas.addEventListener("pointermove", (event) => {
  const entry = entryAt(event);
  canvas.style.cursor = entry >= 0 ? "pointer" : "default";
  if (entry >= 0) game.choose(entry);
});

/** Which entry of the title's menu lies under the pointer, or -1. */
function entryAt(event) {
  if (game.screen !== "title") return -1;
  const box = canvas.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * WIDTH;
  const y = ((event.clientY - box.top) / box.height) * HEIGHT;
  return ENTRIES.findIndex((entry) => Math.abs(x - 640) < 130 && Math.abs(y - entry.y) < 24);
}

fit();
requestAnimationFrame(frame);
