/** The contact point sets the angle of the return, whatever came in; the ball leaves faster. */
import { Findings, SIDES, between, either, isDrawn, round, seed, show, slope, speed, strike } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  const ranges = [[-0.97, -0.6], [-0.5, -0.1], [0.1, 0.5], [0.6, 0.97]];
  for (const [index, [low, high]] of ranges.entries()) {
    const side = index % 2 ? "right" : "left";
    const offset = between(low, high);
    const pace = between(450, 800);
    const struck = await strike(api, side, { y: between(320, 470), offset, pace });
    found.same("the paddle returns the ball", struck.rally > 0, true);
    found.near(`met at ${round(offset)} of its reach it leaves at`, slope(struck.ball), offset * 50, 1);
    found.is("away from the paddle", Math.sign(struck.ball.vx) === SIDES[side].away);
    found.is("and faster than it came", speed(struck.ball) > pace * 1.04, `> ${round(pace * 1.04)}`, round(speed(struck.ball)));
    await show(api, 0.2);
  }
  await api.reset({ seed: seed(), mode: "versus" });
  const side = either("left", "right");
  const { line, away } = SIDES[side];
  await api.call("place", { ball: { x: line + away * 30, y: 300, vx: -away * 600, vy: 0, spin: 0 }, [side]: { y: 300 - 76 } });
  await api.step(0.1);
  const missed = await api.snapshot();
  found.same("beyond its reach it misses", [Math.sign(missed.ball.vx), missed.rally], [-away, 0]);
  await isDrawn(api, found, missed);
  return { verdicts: { rebound: found.list } };
};
