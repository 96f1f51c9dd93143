import type { Figures } from "../bench.ts";

export const PROXY_RULE =
  "through the proxy the first byte takes at most 1.5 times as long as through a plain pipe, and the longest pause beside 5 MB 2.5 times; 200 streams are whole";

/**
 * A few pauses of 2 to 4 ms have a median within a third: 1.7 was seen by chance, where a full run has 1.1. A proxy that read the body
 * before it went on would pause for 10 ms longer: four times and more.
 */
export function holdsAtProxy({ first_byte_ratio, beside_5_mb, streams, streams_whole }: Figures): boolean {
  const { ratio } = beside_5_mb as { readonly ratio: number };
  return (first_byte_ratio as number) <= 1.5 && ratio <= 2.5 && streams_whole === streams;
}
