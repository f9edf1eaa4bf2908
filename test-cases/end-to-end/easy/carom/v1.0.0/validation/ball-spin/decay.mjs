/** Spin halves every 0.4 s, turns the flight at constant speed, and is as good as gone after 2 s. */
import { Findings, between, either, isDrawn, seed, show, slope, speed } from "../lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  const way = either(-1, 1);
  const spin = way * between(0.8, 1.4);
  const pace = between(200, 260);
  const side = either(-1, 1);
  await api.call("place", { ball: { x: 640 - side * 380, y: 396 - way * 230, vx: side * pace, vy: 0, spin } });

  const turned = (seconds) => ((spin * 0.4) / Math.LN2) * (1 - 0.5 ** (seconds / 0.4)) * (180 / Math.PI);
  let now = await show(api, 0.4);
  found.near("after 0.4 s half of the spin is left", now.ball.spin / spin, 0.5, 0.02);
  found.near("the flight has turned", slope(now.ball), turned(0.4), 1);
  found.near("the speed is the same", speed(now.ball), pace, pace * 0.01);
  await isDrawn(api, found, now);
  now = await show(api, 0.4);
  found.near("after 0.8 s a quarter", now.ball.spin / spin, 0.25, 0.02);
  now = await show(api, 0.8);
  const late = slope(now.ball);
  found.near("after 1.6 s a sixteenth", now.ball.spin / spin, 0.0625, 0.01);
  found.near("it has turned nearly all it will", late, turned(1.6), 1.5);
  await api.step(0.5);
  now = await api.snapshot();
  found.near("and then it flies straight", slope(now.ball), late, 2.5);
  await isDrawn(api, found, now);
  return { verdicts: { "ball-spin.decay": found.list } };
};
