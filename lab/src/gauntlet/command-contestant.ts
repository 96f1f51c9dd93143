import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contestant, Place, Running, TurnEnd } from "./contestant.ts";
import { peakMbOf } from "./peak-memory.ts";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface CommandContestant extends Omit<Contestant, "start"> {
  /** Writes settings, before the first start in a home. */
  prepare?(place: Place): void;
  /** One turn as a command. `session`: whether it begins a conversation or goes on with the newest. */
  command(place: Place, text: string, session: "new" | "newest"): Command;
}

const SAMPLE_MS = 200;

/** A whole agent without a screen: a process for each turn, which goes on with what the one before left. */
export function commandContestant({ prepare, command, ...contestant }: CommandContestant): Contestant {
  return {
    ...contestant,
    async start(place) {
      const begun = join(place.home, ".gauntlet-begun");
      if (!existsSync(begun)) prepare?.(place);
      return startCommands((text) => {
        const session = existsSync(begun) ? "newest" : "new";
        writeFileSync(begun, "");
        return command(place, text, session);
      }, place);
    },
  };
}

function startCommands(toCommand: (text: string) => Command, { workspace, home }: Place): Running {
  let kill = async (): Promise<void> => undefined;
  let peak: number | undefined;

  async function turn(text: string, limitMs: number): Promise<TurnEnd> {
    const { program, args, environment } = toCommand(text);
    const child = spawn(program, args, {
      cwd: workspace,
      // Its own group, so that a kill reaches the processes that it starts.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], HOME: home, ...environment },
    });
    let said = "";
    const hear = (chunk: Buffer): void => {
      said = `${said}${chunk}`.slice(-2_000);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    const ended = once(child, "close").then(([code]): TurnEnd => {
      return code === 0 ? { kind: "ended" } : { kind: "failed", message: `exit code ${code}: ${said.slice(-500)}` };
    });
    const memory = peakMbOf(child.pid!);
    const sampling = setInterval(memory.sample, SAMPLE_MS);
    kill = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // It ended meanwhile.
      }
      await ended;
    };
    const late = Promise.withResolvers<TurnEnd>();
    const timer = setTimeout(() => late.resolve({ kind: "late" }), limitMs);
    const end = await Promise.race([ended, late.promise]);
    clearTimeout(timer);
    clearInterval(sampling);
    if (end.kind === "late") await kill();
    peak = Math.max(peak ?? 0, memory.mb() ?? 0);
    return end;
  }

  return { turn, kill: () => kill(), close: () => kill(), peakMb: () => peak };
}
