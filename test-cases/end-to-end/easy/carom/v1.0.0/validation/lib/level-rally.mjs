/** A rally that keeps itself going: a level ball between two paddles at rest in the middle. */
import { either, seed, until } from "./carom.mjs";

export async function startLevelRally(api, pace) {
  await api.reset({ seed: seed(), mode: "versus" });
  for (const side of ["left", "right"]) await api.call("hold", side, 0);
  return api.call("place", { ball: { x: 640, y: 396, vx: either(-1, 1) * pace, vy: 0, spin: 0 } });
}

export async function nextStroke(api) {
  const { rally } = await api.snapshot();
  for (let i = 0; i < 20; i += 1) {
    const now = await api.step(0.2);
    if (now.rally > rally || now.serveIn > 0) return now;
  }
  return until(api, 0.1, () => true);
}
