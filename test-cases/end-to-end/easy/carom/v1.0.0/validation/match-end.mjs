/** The seventh point ends the match and stops the table; Enter begins a rematch. */
import { Findings, SIDES, difference, either, grid, seed, until, whole } from "./lib/carom.mjs";

export default async (api) => {
  const found = new Findings();
  const mode = either("solo", "versus");
  await api.reset({ seed: seed(), mode });
  const winner = either("left", "right");
  const loser = SIDES[winner].other;
  const theirs = whole(0, 6);
  const { away, line } = SIDES[loser];
  const shot = { x: line + away * 30, y: 600, vx: -away * 900, vy: 0, spin: 0 };
  await api.call("hold", loser, 0);

  const sixth = whole(0, 5);
  await api.call("place", { score: { [winner]: sixth, [loser]: theirs }, ball: shot, [loser]: { y: 200 } });
  let now = await until(api, 1, (s) => s.score[winner] > sixth, 2);
  found.same(`point ${sixth + 1} does not end it`, now.screen, "playing");

  await api.call("place", { score: { [winner]: 6, [loser]: theirs }, ball: shot, [loser]: { y: 200 } });
  await api.wait(150);
  const before = await grid(api);
  now = await until(api, 1, (s) => s.screen !== "playing", 2);
  found.same("the seventh point ends the match", now.screen, "won");
  found.same("it names the winner", now.winner, winner);
  found.same("the score stands", now.score, { left: 0, right: 0, [winner]: 7, [loser]: theirs });
  await api.step(0.5);
  found.same("nothing moves any more", (await api.snapshot()).tick, now.tick);
  await api.wait(400);
  await api.screenshot("won");
  const changed = difference(before, await grid(api));
  found.is("the screen shows it", changed >= 8, "8 of 56 points or more", changed);

  await api.userKey("Enter");
  now = await api.snapshot();
  found.same("Enter begins a rematch", now.screen, "playing");
  found.same("in the same mode", now.mode, mode);
  found.same("at nil all", now.score, { left: 0, right: 0 });
  return { verdicts: { "match-end": found.list } };
};
