/** P stops real time and stepping alike, shows that it did, and goes on from exactly there. */
import { Findings, between, difference, either, grid, isDrawn, seed } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  const ball = { x: 640, y: between(300, 480), vx: either(-1, 1) * between(60, 90), vy: between(-40, 40), spin: 0 };
  await api.call("place", { ball });
  await isDrawn(api, found, await api.snapshot());
  await api.call("clock", "real");
  let running = await api.snapshot();
  for (let i = 0; i < 10 && running.tick === 0; i += 1) {
    await api.wait(300);
    running = await api.snapshot();
  }
  found.is("real time moves the table", running.tick > 0 && running.ball.x !== ball.x, "> 0 ticks", running.tick);
  const before = await grid(api);

  await api.userKey("KeyP");
  const paused = await api.snapshot();
  found.same("P pauses", paused.screen, "paused");
  await api.wait(500);
  found.same("no real time passes", await api.snapshot(), paused);
  await api.screenshot("paused");
  const changed = difference(before, await grid(api));
  found.is("the screen shows it", changed >= 8, "8 of 56 points or more", changed);
  await api.step(0.5);
  found.same("stepping advances nothing", await api.snapshot(), paused);

  await api.userKey("KeyP");
  const resumed = await api.snapshot();
  found.same("P goes on", resumed.screen, "playing");
  found.same("from where it was", resumed.ball, paused.ball);
  await api.step(0.25);
  const later = await api.snapshot();
  found.near("at the pace it had", later.ball.x - resumed.ball.x, resumed.ball.vx * 0.25, 0.5);
  await isDrawn(api, found, later);
  return { verdicts: { pause: found.list } };
};
