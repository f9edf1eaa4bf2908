import { paddleKeys } from "../lib/paddle-keys.mjs";

export default async (api) => {
  const found = await paddleKeys(api, "right", { up: "ArrowUp", down: "ArrowDown" }, "versus");
  return { verdicts: { "controls.right": found.list } };
};
