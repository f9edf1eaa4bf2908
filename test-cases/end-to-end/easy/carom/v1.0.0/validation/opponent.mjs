/** The computer returns plain shots, keeps to its speed, and cannot reach everything. */
import { Findings, between, either, isDrawn, round, seed, show } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  let fastest = 0;
  let last = null;
  const look = (now) => {
    if (last && now.tick > last.tick) {
      const seconds = (now.tick - last.tick) / 120;
      fastest = Math.max(fastest, Math.abs(now.right.y - last.right.y) / seconds);
    }
    last = now;
    return now;
  };
  const watch = async (done) => {
    let now = look(await api.snapshot());
    for (let i = 0; i < 90 && !done(now); i += 1) now = look(await api.step(5 / 120));
    return now;
  };

  const shots = 4;
  let returned = 0;
  for (let i = 0; i < shots; i += 1) {
    last = null;
    await api.reset({ seed: seed(), mode: "solo" });
    const pace = between(430, 520);
    const angle = between(-0.4, 0.4);
    await api.call("place", {
      ball: { x: between(300, 500), y: between(250, 540), vx: pace * Math.cos(angle), vy: pace * Math.sin(angle), spin: 0 },
      right: { y: between(300, 490) },
    });
    const now = await watch((s) => s.rally > 0 || s.score.left > 0);
    if (now.rally > 0 && now.ball.vx < 0) returned += 1;
    if (i === 0) await isDrawn(api, found, now);
  }
  found.same(`it returns ${shots} of ${shots} plain shots`, returned, shots);
  await show(api, 0.5);

  last = null;
  await api.reset({ seed: seed(), mode: "solo" });
  const low = either(true, false);
  await api.call("place", {
    ball: { x: between(880, 940), y: low ? between(600, 660) : between(130, 190), vx: 980, vy: 0, spin: 0 },
    right: { y: low ? 170 : 620 },
  });
  const beaten = await watch((s) => s.score.left > 0 || s.rally > 0);
  found.same("a shot out of its reach beats it", beaten.score.left, 1);
  found.is("it moves at 360 at most", fastest <= 362, "<= 362", round(fastest));
  found.is("and it does move", fastest > 300, "> 300", round(fastest));
  await isDrawn(api, found, await show(api, 0.4));
  return { verdicts: { opponent: found.list } };
};
