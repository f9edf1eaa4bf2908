/** Each stroke makes the ball 5% faster, up to 1000, and a serve is slow again. */
import { Findings, between, isDrawn, seed, show, speed, strike, untilServed } from "./lib/carom.mjs";
import { nextStroke, startLevelRally } from "./lib/level-rally.mjs";

export default async (api) => {
  const found = new Findings();
  let pace = between(580, 640);
  await startLevelRally(api, pace);
  const strokes = 13;
  for (let n = 1; n <= strokes; n += 1) {
    const now = await nextStroke(api);
    pace = Math.min(1000, pace * 1.05);
    if (!found.near(`stroke ${n}`, speed(now.ball), pace, pace * 0.01)) break;
    if (n % 4 === 0) await show(api, 0.25);
  }
  for (const fast of [between(955, 995), 1000]) {
    const now = await strike(api, "left", { y: between(330, 460), pace: fast });
    found.near("no stroke makes it faster than 1000", speed(now.ball), 1000, 2);
  }
  await isDrawn(api, found, await api.snapshot());
  await api.reset({ seed: seed(), mode: "versus" });
  const served = await untilServed(api);
  found.near("a serve starts at 520", speed(served.ball), 520, 5);
  await isDrawn(api, found, await show(api, 0.2));
  return { verdicts: { "speed-limit": found.list } };
};
