import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RunningCommand } from "../../sandbox/start-command.ts";
import { makePrivateFolder } from "../../workspace/private-files.ts";

interface BackgroundOutput {
  /** What has come since it was last asked for, up to a limit. */
  readonly text: string;
  readonly more: "yes" | "no";
  /** `running`, or how it ended. */
  readonly state: string;
}

export interface BackgroundCommands {
  /** Resolves to its id. */
  add(command: string, running: RunningCommand): Promise<string>;
  /** Offers a running command to be moved here. @param held its output so far */
  offer(command: string, running: RunningCommand, held: () => string): BackgroundOffer;
  /** Takes the commands that are offered, or those that are within the next moment; resolves to how many there were. */
  take(): Promise<number>;
  /** Undefined if there is no such command. */
  read(id: string): Promise<BackgroundOutput | undefined>;
  /** The end of what it has put out. What the model has been shown stays as it is. */
  tail(id: string): Promise<string | undefined>;
  /** Ends it; `gone` if it has ended before, undefined if there is no such command. */
  kill(id: string): Promise<"killed" | "gone" | undefined>;
  /** Those that run. */
  list(): readonly { readonly id: string; readonly command: string }[];
  /** Ends all of them. */
  close(): Promise<void>;
}

/** A command that runs in the foreground and may be moved to the background. */
export interface BackgroundOffer {
  /** Resolves when the user wants it. */
  readonly taken: Promise<"taken">;
  /** Resolves to its id. @param coming the piece of output that was waited for, and those behind it */
  move(coming: Promise<IteratorResult<string>>, rest: AsyncIterator<string>): Promise<string>;
  withdraw(): void;
}

/** The model's call is on the screen before its command has begun, and whoever saw it may be quick. */
const BEGINS_MS = 2_000;
const LOOKS_EVERY_MS = 20;
/** How much one answer shows. */
const SHOWN_BYTES = 30_000;
const TAIL_BYTES = 4_000;
/** Past this a command is ended: nobody reads so much, and the disk is the user's. */
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

/** Commands that run beside the conversation. Their output goes to files of the session and is read from there. */
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
        // After the object is there.
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
      // A character that is cut in two is left for the next time.
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
