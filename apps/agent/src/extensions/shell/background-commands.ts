// Runs commands in the background.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RunningCommand } from "../../sandbox/start-command.ts";
import { makePrivateFolder } from "../../workspace/private-files.ts";

interface BackgroundOutput {
  /** The output since the last read, up to a limit. */
  readonly text: string;
  readonly more: "yes" | "no";
  /** `running`, or how the command ended. */
  readonly state: string;
}

export interface BackgroundCommands {
  /** Adds a running command. Resolves to its id. */
  add(command: string, running: RunningCommand): Promise<string>;
  /** Offers to move a running command to the background. @param held its output so far */
  offer(command: string, running: RunningCommand, held: () => string): BackgroundOffer;
  /** Accepts all offered commands, or the commands offered in the next moment. Resolves to their number. */
  take(): Promise<number>;
  /** Reads new output of a command. Undefined for an unknown id. */
  read(id: string): Promise<BackgroundOutput | undefined>;
  /** The end of a command's output. Does not change what `read` returns next. */
  tail(id: string): Promise<string | undefined>;
  /** Ends a command. `gone`: it had already ended. Undefined for an unknown id. */
  kill(id: string): Promise<"killed" | "gone" | undefined>;
  /** Lists the running commands. */
  list(): readonly { readonly id: string; readonly command: string }[];
  /** Ends all commands. */
  close(): Promise<void>;
}

/** The offer to move a foreground command to the background. */
export interface BackgroundOffer {
  /** Resolves when the user accepts the offer. */
  readonly taken: Promise<"taken">;
  /** Moves the command. Resolves to its id. @param coming the pending piece of output, followed by `rest` */
  move(coming: Promise<IteratorResult<string>>, rest: AsyncIterator<string>): Promise<string>;
  withdraw(): void;
}

/**
 * How long to wait for an offer. The screen shows the model's call before its command starts, so the user may be
 * faster.
 */
const BEGINS_MS = 2_000;
const LOOKS_EVERY_MS = 20;
/** The limit of one read. */
const SHOWN_BYTES = 30_000;
const TAIL_BYTES = 4_000;
/** The output limit at which a command is ended, to protect the user's disk. */
const MAX_BYTES = 64 * 1_048_576;

interface Background {
  readonly command: string;
  readonly running: RunningCommand;
  readonly file: string;
  readonly finished: Promise<void>;
  writtenBytes: number;
  readBytes: number;
  state: string;
}

/** Runs commands in the background. Their output goes to files of the session. */
export function createBackgroundCommands(folder: string): BackgroundCommands {
  const commands = new Map<string, Background>();
  const offers = new Set<() => void>();
  const all: BackgroundCommands = {
    offer(command, running, held) {
      const { promise: taken, resolve } = Promise.withResolvers<"taken">();
      const take = (): void => resolve("taken");
      offers.add(take);
      return {
        taken,
        withdraw: () => void offers.delete(take),
        move(coming, rest) {
          running.unlimit();
          return all.add(command, { ...running, output: continued(held(), coming, rest) });
        },
      };
    },
    async take() {
      for (let waitedMs = 0; offers.size === 0 && waitedMs < BEGINS_MS; waitedMs += LOOKS_EVERY_MS) {
        await setTimeout(LOOKS_EVERY_MS);
      }
      const { size } = offers;
      for (const take of offers) take();
      offers.clear();
      return size;
    },
    async add(command, running) {
      const id = `b${commands.size + 1}`;
      await makePrivateFolder(folder);
      const file = join(folder, `${id}.txt`);
      const handle = await open(file, "w", 0o600);
      const background: Background = {
        command,
        running,
        file,
        writtenBytes: 0,
        readBytes: 0,
        state: "running",
        finished: follow(),
      };
      commands.set(id, background);
      return id;

      async function follow(): Promise<void> {
        // Waits until `background` is assigned.
        await Promise.resolve();
        try {
          for await (const text of running.output) {
            const bytes = Buffer.from(text);
            if (background.writtenBytes > MAX_BYTES) continue;
            await handle.appendFile(bytes);
            background.writtenBytes += bytes.length;
            if (background.writtenBytes > MAX_BYTES) running.kill();
          }
          const { by, exitCode, signal, notes } = await running.ended;
          const said = Buffer.from(notes.map((note) => `${note}\n`).join(""));
          await handle.appendFile(said);
          background.writtenBytes += said.length;
          const flood = background.writtenBytes > MAX_BYTES ? `, as it put out more than ${MAX_BYTES} bytes` : "";
          background.state = by === "itself" ? `ended with ${signal ?? `exit code ${exitCode}`}` : `was ended${flood}`;
        } catch (error) {
          background.state = `failed: ${error instanceof Error ? error.message : String(error)}`;
        } finally {
          await handle.close();
        }
      }
    },
    async read(id) {
      const background = commands.get(id);
      if (background === undefined) return undefined;
      const { state, writtenBytes } = background;
      const bytes = await readBytes(
        background.file,
        background.readBytes,
        Math.min(SHOWN_BYTES, writtenBytes - background.readBytes),
      );
      // Leaves an incomplete character for the next read.
      const text = new TextDecoder().decode(bytes, { stream: true });
      background.readBytes += Buffer.byteLength(text);
      return { text, more: background.readBytes < writtenBytes ? "yes" : "no", state };
    },
    async tail(id) {
      const background = commands.get(id);
      if (background === undefined) return undefined;
      const from = Math.max(0, background.writtenBytes - TAIL_BYTES);
      return new TextDecoder().decode(await readBytes(background.file, from, TAIL_BYTES));
    },
    async kill(id) {
      const background = commands.get(id);
      if (background === undefined) return undefined;
      if (background.state !== "running") return "gone";
      background.running.kill();
      await background.finished;
      return "killed";
    },
    list: () => [...commands].flatMap(([id, { command, state }]) => (state === "running" ? [{ id, command }] : [])),
    async close() {
      for (const { running } of commands.values()) running.kill();
      await Promise.all([...commands.values()].map(({ finished }) => finished));
    },
  };
  return all;
}

async function* continued(
  held: string,
  coming: Promise<IteratorResult<string>>,
  rest: AsyncIterator<string>,
): AsyncGenerator<string> {
  if (held !== "") yield held;
  for (let next = await coming; next.done !== true; next = await rest.next()) yield next.value;
}

async function readBytes(path: string, from: number, length: number): Promise<Uint8Array> {
  if (length <= 0) return new Uint8Array();
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
