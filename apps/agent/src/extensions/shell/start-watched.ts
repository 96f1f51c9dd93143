import { keepNames } from "./keep-names.ts";
import { type CommandOptions, type RunningCommand, startCommand } from "./start-command.ts";

/** Starts a command that is ended as soon as it changes one of these names, which are put back. */
export async function startWatched(options: CommandOptions, names: readonly string[]): Promise<RunningCommand> {
  let kill = (): void => {};
  const kept = await keepNames(names, () => kill());
  const running = startCommand(options);
  kill = running.kill;
  const ended = running.ended.then(
    async (end) => {
      const putBack = await kept.settle();
      return putBack.length === 0 ? end : { ...end, by: "kill" as const, putBack };
    },
    async (error: unknown) => {
      await kept.settle();
      throw error;
    },
  );
  ended.catch(() => undefined);
  return { ...running, ended };
}
