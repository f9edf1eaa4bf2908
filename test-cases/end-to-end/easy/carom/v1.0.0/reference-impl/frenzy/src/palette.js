/** Every colour of the game; the felt's belong to the variant. */
import { VARIANT } from "./variant.js";

export const COLOURS = {
  left: "#F4B942",
  right: "#FF6F7D",
  ball: "#FFF8E7",
  mark: "#B5483A",
  brass: "#D9B36C",
  walnut: ["#4A2C1A", "#2A170D"],
  text: "#F3EBDD",
  quiet: "#9DB5AE",
  ember: "#B5391F",
  ...VARIANT.palette,
};

/** `hex` as a CSS colour with the given alpha. */
export function faded(hex, alpha) {
  const value = Number.parseInt(hex.slice(1), 16);
  return `rgba(${value >> 16}, ${(value >> 8) & 255}, ${value & 255}, ${alpha})`;
}

/** The colour between two hex colours, `share` of the way to the second. */
export function mixed(from, to, share) {
  const a = Number.parseInt(from.slice(1), 16);
  const b = Number.parseInt(to.slice(1), 16);
  const channel = (shift) => {
    const low = (a >> shift) & 255;
    return Math.round(low + (((b >> shift) & 255) - low) * share);
  };
  return `#${[16, 8, 0].map((shift) => channel(shift).toString(16).padStart(2, "0")).join("")}`;
}
