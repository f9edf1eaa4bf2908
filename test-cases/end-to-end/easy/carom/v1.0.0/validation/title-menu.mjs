/** The title's menu, by real keys: the choice moves, stops at its ends, and Enter starts it. */
import { Findings, either, grid, isDrawn, seed } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  await api.reset({ seed: seed(), screen: "title" });
  let now = await api.snapshot();
  found.same("opens on the title", now.screen, "title");
  found.same("Solo is chosen first", now.menu, 0);
  await api.wait(200);
  const first = await grid(api);
  found.is("the title is painted", new Set(first.map(String)).size >= 3, "3 colours or more", new Set(first.map(String)).size);

  const up = () => either("ArrowUp", "KeyW");
  const down = () => either("ArrowDown", "KeyS");
  for (const [key, menu] of [[up(), 0], [down(), 1], [down(), 1], [up(), 0], [down(), 1]]) {
    await api.userKey(key);
    now = await api.snapshot();
    found.same(`${key} chooses entry ${menu}`, now.menu, menu);
    await api.wait(60);
  }
  await api.wait(200);
  await api.screenshot("menu");

  await api.userKey("Enter");
  now = await api.snapshot();
  found.same("Enter starts a match", now.screen, "playing");
  found.same("of the chosen mode", now.mode, "versus");
  found.same("at nil all", now.score, { left: 0, right: 0 });
  await isDrawn(api, found, now);
  return { verdicts: { "title-menu": found.list } };
};
