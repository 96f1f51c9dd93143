/** Returns the processor time that this process uses for a piece of work. Unlike elapsed time, it does not grow when other processes are busy. */
export async function processorMs(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
