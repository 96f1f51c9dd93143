import type { Figures } from "./experiment.ts";

/** One figure a line. */
export function figuresText(figures: Figures): string {
  return Object.entries(figures)
    .map(([key, value]) => `${key.padEnd(34)}${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("\n");
}
