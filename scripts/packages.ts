/** The packages that are published, in the order in which they build. */
export const PACKAGES: readonly string[] = [
  "palimpsest",
  "provider-simulator",
  "coordination",
  "memory",
  "agents",
  "transcripts",
  "replay",
];
