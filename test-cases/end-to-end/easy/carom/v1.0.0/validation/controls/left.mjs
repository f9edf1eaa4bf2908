import { either } from "../lib/carom.mjs";
import { paddleKeys } from "../lib/paddle-keys.mjs";

export default async (api) => {
  const found = await paddleKeys(api, "left", { up: "KeyW", down: "KeyS" }, either("solo", "versus"));
  return { verdicts: { "controls.left": found.list } };
};
