/** Strokes and cushions each start a sound, silence lies between, and M mutes. */
import { Findings, between, either, isDrawn, seed, sounds, strike, whole } from "../lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  await api.userKey("KeyW");
  await api.call("place", { ball: { x: 640, y: between(300, 480), vx: 100, vy: 0, spin: 0 } });
  let count = await sounds(api);
  await api.step(0.3);
  found.same("a ball that touches nothing is silent", await sounds(api), count);

  const events = Array.from({ length: 4 }, (_, i) => (i < 2 ? ["stroke", "cushion"][i] : either("stroke", "cushion")));
  for (const event of events) {
    for (let rest = whole(0, 2); rest > 0; rest -= 1) await api.step(0.05);
    await cause(api, event);
    const now = await sounds(api);
    found.is(`a ${event} is heard`, now > count, `> ${count}`, now);
    count = now;
  }
  await api.userKey("KeyM");
  count = await sounds(api);
  await cause(api, either("stroke", "cushion"));
  found.same("M silences", await sounds(api), count);
  await api.userKey("KeyM");
  await cause(api, "stroke");
  const now = await sounds(api);
  found.is("M again lets it be heard", now > count, `> ${count}`, now);
  await isDrawn(api, found, await api.snapshot());
  await api.screenshot("rally");
  return { verdicts: { "sound.strokes": found.list } };
};

async function cause(api, event) {
  if (event === "stroke") await strike(api, either("left", "right"), { y: between(320, 470), offset: between(-0.5, 0.5) });
  else await api.call("place", { ball: { x: between(400, 900), y: 680, vx: 100, vy: 500, spin: 0 } });
  await api.step(0.05);
}
