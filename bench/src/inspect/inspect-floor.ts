import type { Figures } from "../bench.ts";

export const INSPECT_RULE =
  "a log that is a hundred times as large is painted and scrubbed with at most 1.5 times the processors' time, and with at most 120 kB of script";

/** Memory depends on when the engine collects garbage, and is only told. */
export function holdsInInspector({ growth, page_kb_gzip }: Figures): boolean {
  return (growth as number) <= 1.5 && (page_kb_gzip as number) <= 120;
}
