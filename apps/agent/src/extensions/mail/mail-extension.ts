import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Agents, isApproval } from "@palimpsest/agents";
import {
  type Address,
  type Coordination,
  listenOnSocket,
  type Mailbox,
  openCoordination,
  type SentToSocket,
  sendToSocket,
} from "@palimpsest/coordination";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { Places } from "../../workspace/places.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";
import { UsageError } from "../../workspace/usage-error.ts";

type MailExtension = Extension & SessionMail;

/** Adds messages between the sessions of a project. @param name the name of this session for other sessions */
export async function mailExtension(
  { places, sessionId, clock }: Pick<ExtensionContext, "places" | "sessionId" | "clock">,
  name: string | undefined,
): Promise<MailExtension> {
  const mail = await openMail({ places, session: sessionId, clock, name });
  return { name: "mail", ...mail };
}

/** Lists the sessions of a project that have a name. */
export async function readTeammates(places: Places): Promise<readonly Address[]> {
  if (!existsSync(places.coordinationFile)) return [];
  const coordination = await openCoordination({ file: places.coordinationFile });
  try {
    return await coordination.mailboxes.addresses(teamOf(places));
  } finally {
    await coordination.close();
  }
}

/** Sends the user's message to a running session through its socket. */
export async function writeToTeammate({ name, state, socket }: Address, text: string): Promise<SentToSocket> {
  if (state === "stopped" || socket === undefined)
    return { kind: "failed", because: "absent", why: `${name} is not running. To resume it: palimpsest --resume ID` };
  return sendToSocket({ path: socket, message: { id: randomUUID(), from: "user", body: text } });
}

interface OpenMailOptions {
  readonly places: Places;
  readonly session: string;
  /**
   * The session's name for other sessions. @default its earlier name; without a name, the session cannot receive
   * messages
   */
  readonly name?: string;
  readonly clock?: { now(): number };
}

/** The mail of a session. Sessions of one project use names, and other programs use the socket. */
export interface SessionMail {
  readonly mailbox: Pick<Mailbox, "send" | "receive" | "acknowledge" | "wait">;
  /** Receives messages from other sessions on a socket, if the session has a name. */
  listen(agents: Pick<Agents, "take" | "waitForMail">): Promise<void>;
  /** Waits for new messages. `over`: the session agreed to end, or the signal was aborted. */
  wait(signal: AbortSignal): Promise<"mail" | "over">;
  close(): Promise<void>;
}

const NAME_FILE = "name.json";

/**
 * Opens the mail of a session. A session without a name costs nothing until it sends its first message. It is then
 * registered with the first characters of its id as its name, so that it can receive answers.
 */
async function openMail({ places, session, name, clock }: OpenMailOptions): Promise<SessionMail> {
  const ended = new AbortController();
  const socketPath = places.socketOf(session);
  let coordination: Coordination | undefined;
  let socket: { close(): Promise<void> } | undefined;
  let arrivals = 0;
  let onArrival = (): void => {};
  let waitForMail: Agents["waitForMail"] = async () => "over";
  const named = Promise.withResolvers<Mailbox>();

  async function register(as: string, from: "given" | "remembered" | "needed"): Promise<Mailbox | undefined> {
    coordination ??= await openCoordination({
      file: places.coordinationFile,
      clock,
    });
    const reached = from === "needed" ? {} : { socket: socketPath };
    const result = await coordination.mailboxes.register({ team: teamOf(places), name: as, session, ...reached });
    // Another session has taken the name since, so this session continues without a name.
    if (result.kind === "taken" && from === "remembered") return undefined;
    if (result.kind === "taken") {
      const { session: other, pid } = result.by;
      throw new UsageError(
        `The name ${as} is taken by session ${other.slice(0, 8)} (process ${pid}). Choose another --name, or end that session.`,
      );
    }
    if (result.kind === "refused") throw new UsageError(result.why);
    await writePrivateFile(join(places.folderOf(session), NAME_FILE), `${JSON.stringify({ name: as })}\n`);
    named.resolve(result.mailbox);
    return result.mailbox;
  }

  const before = name ?? (await readName(places.folderOf(session)));
  let registered =
    before === undefined ? undefined : await register(before, name === undefined ? "remembered" : "given");
  return {
    mailbox: {
      async send(draft) {
        // A broadcast of an unregistered session has no receivers.
        if (registered === undefined && draft.to === "*") return { kind: "sent", receivers: [], full: [] };
        registered ??= await register(session.slice(0, 8), "needed");
        const outcome = await registered!.send(draft);
        const agrees = draft.kind === "shutdown_response" && isApproval(draft.body);
        if (agrees && outcome.kind === "sent") ended.abort();
        return outcome;
      },
      receive: async (how) => registered?.receive(how) ?? { kind: "received", messages: [] },
      acknowledge: async (keys) => registered?.acknowledge(keys) ?? "acknowledged",
      // A session without a name cannot receive messages.
      wait: async (how) => (await Promise.race([named.promise, whenAborted(how?.signal)]))?.wait(how) ?? "over",
    },
    async listen(agents) {
      waitForMail = agents.waitForMail;
      if (registered === undefined) return;
      const listening = await listenOnSocket({
        path: socketPath,
        async onMessage(message) {
          await agents.take(message);
          arrivals++;
          onArrival();
        },
      });
      if (listening.kind === "listening") socket = listening.socket;
    },
    async wait(signal) {
      const over = new AbortController();
      const ends = AbortSignal.any([signal, ended.signal, over.signal]);
      const arrived = new Promise<"mail">((resolve) => {
        onArrival = () => resolve("mail");
        if (arrivals > 0) resolve("mail");
      });
      const found = await Promise.race([arrived, waitForMail(ends)]);
      arrivals = 0;
      over.abort();
      return found;
    },
    async close() {
      await socket?.close();
      await coordination?.close();
    },
  };
}

function whenAborted(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve(undefined);
    signal?.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** The group of sessions that can send messages to each other: one per project. */
function teamOf({ project }: Pick<Places, "project">): string {
  return `project-${project.slice(-12)}`;
}

async function readName(folder: string): Promise<string | undefined> {
  try {
    const { name } = JSON.parse(await readFile(join(folder, NAME_FILE), "utf8")) as { readonly name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
