/** Some servers report fractions of tokens. */
export function wholeTokens<Usage extends object>(usage: Usage): Usage {
  const whole = Object.entries(usage).map(([name, value]) => [
    name,
    typeof value === "number" ? Math.round(value) : value,
  ]);
  return Object.fromEntries(whole) as Usage;
}
