/** A ball that leaves at either end is the other side's point, and the loser receives the serve. */
import { Findings, SIDES, between, either, isDrawn, seed, show, slope, speed, until, untilServed } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  const score = { left: 0, right: 0 };
  for (const end of [either("left", "right"), "left", "right"]) {
    const winner = SIDES[end].other;
    const { away, line } = SIDES[end];
    const low = Math.random() < 0.5;
    const y = low ? between(500, 640) : between(150, 290);
    await api.call("place", {
      ball: { x: line + away * 60, y, vx: -away * between(500, 700), vy: 0, spin: 0 },
      [end]: { y: low ? 160 : 630 },
    });
    await show(api, 0.1);
    found.same("no point before the ball is out", (await api.snapshot()).score, score);
    const now = await until(api, 1, (s) => s.score[winner] > score[winner], 3);
    score[winner] += 1;
    found.same(`out at the ${end} is a point for the ${winner}`, now.score, score);
    found.near("the ball rests in the centre", Math.hypot(now.ball.x - 640, now.ball.y - 396), 0, 1);
    found.near("for one second", now.serveIn, 1, 0.03);
    await isDrawn(api, found, await show(api, 0.2));
    const served = await untilServed(api);
    found.is(`the serve goes to the ${end}`, Math.sign(served.ball.vx) === -away);
    found.near("at 520", speed(served.ball), 520, 10);
    found.is("no steeper than 20 degrees", Math.abs(slope(served.ball)) <= 20.4, "<= 20", slope(served.ball));
    await show(api, 0.2);
  }
  return { verdicts: { scoring: found.list } };
};
