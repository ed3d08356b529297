// Colours of clusters: told apart in light and dark, by their lightness too; they repeat after twelve.

const COLOURS = [
  "#3b6fe0", "#e07b1a", "#2a9d63", "#c8385a", "#8a5cd6", "#a8862b",
  "#d45fb2", "#1f9aa8", "#7a8794", "#6f9a1c", "#9c5a3c", "#5a63b8",
];

export const colour = (cluster) => COLOURS[cluster % COLOURS.length];
export const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function swatch(cluster) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 12 12");
  svg.setAttribute("aria-hidden", "true");
  const dot = document.createElementNS(space, "circle");
  for (const [name, value] of Object.entries({ cx: 6, cy: 6, r: 5, fill: colour(cluster) })) dot.setAttribute(name, value);
  svg.append(dot);
  return svg;
}
