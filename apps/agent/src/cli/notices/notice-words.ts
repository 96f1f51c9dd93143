import type { Surface } from "../../commands/text/notice.ts";

/** A command as the person types it on this surface. */
export function command(name: "compact" | "undo" | "dream" | "config", surface: Surface): string {
  return surface === "terminal" ? `/${name}` : `palimpsest ${name}`;
}

export function tokens(amount: number): string {
  return `${count(amount)} tokens`;
}

export function count(amount: number): string {
  return amount.toLocaleString("en-US");
}

export function plural(amount: number, thing: string, things = `${thing}s`): string {
  return `${count(amount)} ${amount === 1 ? thing : things}`;
}

export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
