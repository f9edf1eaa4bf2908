/** What sets this variant apart. Every other module is the same in all of them. */
export const VARIANT = {
  subtitle: "Frenzy",
  rules: { strokeGain: 1.15, maxSpeed: 1e6 },
  heat: true,
  palette: {
    page: "#12060C",
    felt: "#3B1226",
    lamp: "#5A1B36",
    corner: "#240A18",
    strip: "#1B0811",
    line: "#7A3350",
    shade: "18, 6, 12",
    accent: "#FF8A5B",
    subtitle: "#FF8A5B",
  },
};
