import type { Figures } from "../bench.ts";

export const PROXY_RULE =
  "through the proxy the first byte comes within 1.5 times that of a plain pipe, and of 200 streams each is whole";

export function holdsAtProxy({ first_byte_ratio, streams, streams_whole }: Figures): boolean {
  return (first_byte_ratio as number) <= 1.5 && streams_whole === streams;
}
