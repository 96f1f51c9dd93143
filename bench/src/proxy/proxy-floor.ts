import type { Figures } from "../bench.ts";

export const PROXY_RULE =
  "through the proxy the first byte takes at most 1.5 times as long as through a plain pipe, and so does the longest pause beside 5 MB; 200 streams are whole";

export function holdsAtProxy({ first_byte_ratio, beside_5_mb, streams, streams_whole }: Figures): boolean {
  const { ratio } = beside_5_mb as { readonly ratio: number };
  return (first_byte_ratio as number) <= 1.5 && ratio <= 1.5 && streams_whole === streams;
}
