/** Both cushions mirror the flight, keep the speed, and turn the spin over at half strength. */
import { Findings, TICK, between, either, isDrawn, seed, show, speed } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  for (const [name, edge, way] of [["upper", 107, -1], ["lower", 685, 1]]) {
    const ball = { x: between(500, 700), y: edge - way * between(60, 110), vx: either(-1, 1) * between(200, 400), vy: way * between(300, 450), spin: 0 };
    await api.call("place", { ball });
    const now = await show(api, 0.4);
    const seconds = 12 * 4 * TICK;
    found.near(`the ${name} cushion mirrors the flight: y`, now.ball.y, 2 * edge - (ball.y + ball.vy * seconds), 1);
    found.near("x goes on", now.ball.x, ball.x + ball.vx * seconds, 1);
    found.near("vertical velocity is reversed", now.ball.vy, -ball.vy, 2);
    found.near("speed stays", speed(now.ball), speed(ball), 2);
    await isDrawn(api, found, now);

    const spin = either(-1, 1) * between(0.6, 1.2);
    await api.call("place", { ball: { x: 640, y: edge - way * 6, vx: 300, vy: way * 300, spin } });
    let outside = 0;
    let last = spin;
    for (let tick = 0; tick < 8; tick += 1) {
      const { ball: here } = await api.step(TICK);
      if (here.y < 106.99 || here.y > 685.01) outside += 1;
      last = here.spin;
    }
    found.near("spin turns over at half strength", last / spin, -0.5 * 0.5 ** ((8 * TICK) / 0.4), 0.02);
    found.same("the ball never leaves the felt", outside, 0);
  }
  return { verdicts: { cushions: found.list } };
};
