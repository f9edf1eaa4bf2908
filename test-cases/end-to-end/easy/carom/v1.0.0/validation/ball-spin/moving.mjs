/** A swinging paddle gives spin in the swing's direction, and the flight bends that way. */
import { Findings, between, either, isDrawn, seed, show, slope, strike } from "../lib/carom.mjs";

const TURN = ((1.4 * 0.4) / Math.LN2) * (180 / Math.PI);

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  const side = either("left", "right");
  for (const swing of [1, -1]) {
    const shot = { y: 396 - swing * 60 + between(-20, 20), offset: between(-0.15, 0.15), pace: between(450, 560), swing };
    const struck = await strike(api, side, shot);
    const way = swing > 0 ? "down" : "up";
    found.same("the paddle returns the ball", struck.rally > 0, true);
    found.near(`a paddle moving ${way} gives spin`, struck.ball.spin, 1.4 * swing, 0.05);
    const before = slope(struck.ball);
    await api.call("hold", side, 0);
    const now = await show(api, 0.4);
    found.near(`the flight bends ${way}`, slope(now.ball) - before, swing * TURN * 0.5, 2);
    await isDrawn(api, found, now);
    await show(api, 0.2);
  }
  const plain = await strike(api, side, { y: between(330, 460), pace: between(450, 560), swing: 0 });
  found.near("the same paddle held still gives none", plain.ball.spin, 0, 0.001);
  return { verdicts: { "ball-spin.moving": found.list } };
};
