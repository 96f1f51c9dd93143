export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}

/** To three digits: more than that is noise. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}
