/** What this process uses of the processors for something. Unlike time, other work does not add to it. */
export function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
