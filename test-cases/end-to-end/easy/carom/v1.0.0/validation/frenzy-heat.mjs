/** The felt under the lamp turns from wine to ember with the ball's speed, and back at a serve. */
import { Findings, between, isDrawn, round, seed } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), mode: "versus" });
  const [x, y] = [between(680, 720), between(340, 370)];
  const felt = async (pace) => {
    await api.call("place", { ball: { x: 200, y: 600, vx: pace, vy: 0, spin: 0 } });
    await api.wait(250);
    return api.pixel(x / 1280, y / 720);
  };
  const cold = await felt(520);
  const warm = await felt(between(900, 1200));
  const hot = await felt(between(4000, 8000));
  found.is("wine at the speed of a serve", cold.r > cold.g + 20 && cold.r < 130, "dark red", `${cold.r},${cold.g},${cold.b}`);
  found.is("warmer at twice the speed", warm.r > cold.r + 15, `> ${cold.r + 15}`, warm.r);
  found.is("ember when fast", hot.r > warm.r + 10 && hot.r > hot.b * 2, `> ${warm.r + 10}`, `${hot.r},${hot.g},${hot.b}`);
  await isDrawn(api, found, await api.snapshot());
  await api.screenshot("heat");
  await api.call("place", { serveIn: 1 });
  await api.wait(250);
  const again = await api.pixel(x / 1280, y / 720);
  found.near("cool again at a serve", again.r, cold.r, 12);
  found.near("with no heat", (await api.snapshot()).heat, 0, 0.001);
  found.is("the picture follows the numbers", round(hot.r - cold.r) > 40, "> 40", hot.r - cold.r);
  return { verdicts: { "frenzy-heat": found.list } };
};
