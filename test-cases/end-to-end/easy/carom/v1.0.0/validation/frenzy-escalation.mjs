/** Every stroke multiplies the speed by 1.15 without end, and nothing is ever passed through. */
import { Findings, TICK, between, isDrawn, round, seed, show, speed, until, untilServed } from "./lib/carom.mjs";
import { nextStroke, startLevelRally } from "./lib/level-rally.mjs";

export default async (api) => {
  const found = new Findings();
  const start = between(500, 600);
  await startLevelRally(api, start);
  for (let n = 1; n <= 7; n += 1) {
    const now = await nextStroke(api);
    const pace = start * 1.15 ** now.rally;
    if (!found.near(`after stroke ${now.rally}`, speed(now.ball), pace, pace * 0.01)) break;
    found.near("its heat", now.heat, Math.max(0, 1 - 520 / pace), 0.01);
    if (n === 4) await isDrawn(api, found, await show(api, 0.2));
  }
  let now = await show(api, 0.4);
  for (let i = 0; i < 80 && now.rally < 30 && now.serveIn === 0; i += 1) now = await api.step(0.25);
  now = await until(api, 0.6, (s) => s.rally >= 44 || s.serveIn > 0);
  found.is("44 strokes and more", now.rally >= 44, ">= 44", now.rally);
  found.near("the speed still follows", speed(now.ball) / Math.min(1e6, start * 1.15 ** now.rally), 1, 0.01);
  for (let i = 0; i < 10; i += 1) now = await api.step(TICK);
  found.same("no paddle was passed through", now.score, { left: 0, right: 0 });
  found.is("several strokes fit into one tick by now", now.rally > 54, "> 54", now.rally);
  found.is("the ball is still between the lines", now.ball.x >= 79.9 && now.ball.x <= 1200.1, "80..1200", round(now.ball.x));

  await api.reset({ seed: seed(), mode: "versus" });
  now = await untilServed(api);
  found.near("a serve is slow again", speed(now.ball), 520, 5);
  found.near("and cool", now.heat, 0, 0.01);
  await isDrawn(api, found, await show(api, 0.3));
  return { verdicts: { "frenzy-escalation": found.list } };
};
