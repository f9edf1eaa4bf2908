/** One paddle by real keys: taps are single ticks, limits hold, the other paddle stays. */
import { COLOURS, Findings, SIDES, TICK, between, drawn, round, seed, show, whole } from "./carom.mjs";

const NUDGE = 560 * TICK;

/** `keys` is { up, down }; `mode` the mode to play in. */
export async function paddleKeys(api, side, keys, mode) {
  const found = new Findings();
  const other = SIDES[side].other;
  await api.reset({ seed: seed(), mode });
  const start = round(between(330, 460));
  await api.call("place", { [side]: { y: start }, serveIn: 30 });
  const still = (await api.snapshot())[other].y;

  let y = start;
  for (const [direction, key] of [[-1, keys.up], [1, keys.down]]) {
    const taps = whole(3, 9);
    for (let tap = 0; tap < taps; tap += 1) {
      await api.userKey(key);
      await api.step(TICK);
    }
    y += direction * taps * NUDGE;
    const now = await api.snapshot();
    found.near(`${taps} taps of ${key} are ${taps} ticks of movement`, now[side].y, y, 0.05);
    found.is(`the ${side} paddle is drawn there`, await drawn(api, SIDES[side].x, now[side].y, COLOURS[side]));
    const after = await api.step(4 * TICK);
    found.near("and then it stands still", (after ?? (await api.snapshot()))[side].y, y, 0.05);
  }
  found.near(`the ${other} paddle did not move`, (await api.snapshot())[other].y, still, 0.01);

  await api.userKey(keys.up);
  await api.userKey(keys.up);
  await api.step(2 * TICK);
  y -= NUDGE;
  found.near("two taps between two ticks move it for one", (await api.snapshot())[side].y, y, 0.05);

  for (const [direction, limit] of [[-1, 156], [1, 636]]) {
    await api.call("hold", side, direction);
    const now = await show(api, direction < 0 ? 0.7 : 1);
    found.near("it stops at the cushion", now[side].y, limit, 0.05);
    found.near("and has no velocity there", now[side].vy, 0, 0.001);
  }
  await api.call("release", side);
  const edge = (await api.snapshot())[side].y;
  found.is("it is drawn at the cushion", await drawn(api, SIDES[side].x, edge, COLOURS[side]));
  await api.userKey(keys.up);
  await api.step(TICK);
  found.near("released, it answers its key again", (await api.snapshot())[side].y, edge - NUDGE, 0.05);
  return found;
}
