/** A paddle at rest takes all spin away: the return is a straight line. */
import { Findings, between, either, isDrawn, round, seed, show, slope, strike } from "../lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  for (const side of ["left", "right"]) {
    const spin = either(-1, 1) * between(0.5, 1);
    const struck = await strike(api, side, { y: between(330, 460), offset: between(-0.3, 0.3), pace: between(450, 700), spin });
    found.same("the paddle returns the ball", struck.rally > 0, true);
    found.near(`incoming spin of ${round(spin)} is gone`, struck.ball.spin, 0, 0.001);
    const start = (await api.snapshot()).ball;
    const middle = (await show(api, 0.3)).ball;
    const now = await show(api, 0.3);
    const bend = (middle.x - start.x) * (now.ball.y - start.y) - (middle.y - start.y) * (now.ball.x - start.x);
    const apart = Math.abs(bend) / Math.hypot(now.ball.x - start.x, now.ball.y - start.y);
    found.is("the ball has flown away from the paddle", Math.abs(now.ball.x - start.x) > 150, "> 150", round(Math.abs(now.ball.x - start.x)));
    found.near("the return is a straight line", apart, 0, 0.5);
    found.near("its direction stays", slope(now.ball), slope(struck.ball), 0.2);
    await isDrawn(api, found, now);
  }
  return { verdicts: { "ball-spin.stationary": found.list } };
};
