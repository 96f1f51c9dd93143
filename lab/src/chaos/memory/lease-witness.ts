/** One line of a witness file: what a process did while it believed that it held the lease. */
export interface Testimony {
  readonly generation: number;
  readonly process: number;
  readonly what: "begin" | "end";
}

/** A file that knows nothing of leases: lines in the order in which they were appended. */
export function readTestimonies(text: string): Testimony[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Testimony);
}

/**
 * Counts what cannot be if one process at a time held the lease: a write within a write of another, a generation that two
 * processes wrote with, a write with an earlier generation than one before it.
 */
export function countDoubleOwners(testimonies: readonly Testimony[]): number {
  const processOf = new Map<number, number>();
  let open: Testimony | undefined;
  let highest = 0;
  let double = 0;
  for (const testimony of testimonies) {
    const { generation, process, what } = testimony;
    const isWithin = what === "begin" ? open !== undefined : open?.generation !== generation;
    const isShared = (processOf.get(generation) ?? process) !== process;
    if (isWithin || isShared || generation < highest) double++;
    processOf.set(generation, process);
    highest = Math.max(highest, generation);
    open = what === "begin" ? testimony : undefined;
  }
  return double;
}
