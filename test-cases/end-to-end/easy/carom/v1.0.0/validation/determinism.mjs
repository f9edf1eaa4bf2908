/** A seed and the same inputs give the same match, however time is divided; other seeds do not. */
import { Findings, either, isDrawn, seed, slope, whole } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  const first = seed();
  const mode = either("solo", "versus");
  const moves = Array.from({ length: 5 }, () => either(-1, 0, 1));
  const play = async (parts) => {
    await api.reset({ seed: first, mode });
    for (const direction of moves) {
      await api.call("hold", "left", direction);
      for (let part = 0; part < parts; part += 1) await api.step(48 / parts / 120);
    }
    return api.snapshot();
  };
  const once = await play(1);
  found.same("240 ticks have passed", once.tick, 240);
  found.same("the same again is the same", await play(1), once);
  found.same("in smaller steps too", await play(either(2, 3, 4, 6)), once);

  await api.wait(250);
  found.same("no time passes by itself", await api.snapshot(), once);
  await isDrawn(api, found, once);

  const serves = new Set();
  let steep = 0;
  const seeds = 5;
  for (let i = 0; i < seeds; i += 1) {
    await api.reset({ seed: (first + 1 + i * whole(1, 1e6)) >>> 0, mode: "versus" });
    await api.step(1.1);
    const { ball } = await api.snapshot();
    serves.add(`${ball.vx} ${ball.vy}`);
    if (Math.abs(slope(ball)) > 20.4 || ball.vx === 0) steep += 1;
  }
  found.is("other seeds serve otherwise", serves.size >= seeds - 1, `${seeds} serves`, serves.size);
  found.same("every serve is within 20 degrees", steep, 0);
  await isDrawn(api, found, await api.snapshot());
  await api.screenshot("serve");
  return { verdicts: { determinism: found.list } };
};
