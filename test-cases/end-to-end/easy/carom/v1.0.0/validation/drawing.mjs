/** Ball and paddles are drawn in their colours where the snapshot has them, and nowhere else. */
import { COLOURS, Findings, SIDES, between, drawn, isDrawn, seed, show } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  let last = null;
  for (let i = 0; i < 4; i += 1) {
    await api.call("place", {
      ball: { x: between(200, 1080), y: i % 2 ? between(120, 300) : between(480, 670), vx: 0, vy: 0, spin: 0 },
      left: { y: i % 2 ? between(160, 300) : between(480, 630) },
      right: { y: i % 2 ? between(480, 630) : between(160, 300) },
    });
    const now = await api.snapshot();
    await isDrawn(api, found, now);
    const { x } = SIDES.left;
    found.is("a paddle is 120 high: upper part", await drawn(api, x, now.left.y - 30, COLOURS.left, { tolerance: 60 }));
    found.is("a paddle is 120 high: lower part", await drawn(api, x, now.left.y + 30, COLOURS.left, { tolerance: 60 }));
    found.is("and no higher", await drawn(api, x, now.left.y + 72, COLOURS.left, { shown: false, tolerance: 60 }));
    if (last) {
      found.is("where the ball was, it is not", await drawn(api, last.ball.x, last.ball.y, COLOURS.ball, { shown: false }));
      found.is("where the paddle was, it is not", await drawn(api, x, last.left.y, COLOURS.left, { shown: false, tolerance: 60 }));
    }
    last = now;
  }
  await api.call("place", { ball: { x: between(300, 500), y: between(300, 450), vx: 500, vy: between(-150, 150), spin: 1 } });
  await isDrawn(api, found, await show(api, 0.5), "drawn in flight where the simulation has it");
  await api.screenshot("table");
  return { verdicts: { drawing: found.list } };
};
