/** Goals at either end, and the end of a match, each start a sound. */
import { Findings, SIDES, between, either, isDrawn, seed, sounds } from "../lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  await api.userKey("KeyW");
  let count = await sounds(api);
  await api.step(0.2);
  found.same("a resting ball is silent", await sounds(api), count);
  const ends = either(["left", "right"], ["right", "left"]);
  for (const end of ends) {
    const { away, line } = SIDES[end];
    await api.call("place", {
      ball: { x: line + away * 20, y: between(540, 660), vx: -away * 800, vy: 0, spin: 0 },
      [end]: { y: 200 },
    });
    const before = (await api.snapshot()).score[SIDES[end].other];
    await api.step(0.05);
    found.same("a ball that has passed is silent", await sounds(api), count);
    await api.step(0.2);
    found.same("then it is out", (await api.snapshot()).score[SIDES[end].other], before + 1);
    const now = await sounds(api);
    found.is(`a goal at the ${end} is heard`, now > count, `> ${count}`, now);
    count = now;
  }
  await isDrawn(api, found, await api.snapshot());
  await api.screenshot("goal");
  return { verdicts: { "sound.goals": found.list } };
};
