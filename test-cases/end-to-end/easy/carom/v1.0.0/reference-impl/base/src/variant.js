/** What sets this variant apart. Every other module is the same in all of them. */
export const VARIANT = {
  subtitle: "A game of spin",
  rules: { strokeGain: 1.05, maxSpeed: 1000 },
  heat: false,
  palette: {
    page: "#050F11",
    felt: "#0F3D3E",
    lamp: "#17595A",
    corner: "#0A2A2C",
    strip: "#081A1D",
    line: "#2A6A69",
    shade: "5, 15, 17",
    accent: "#F4B942",
    subtitle: "#9DB5AE",
  },
};
