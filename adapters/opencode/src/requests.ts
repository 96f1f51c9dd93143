// Replaces opencode's messages before each request, and records the answer with the next list.

import { recallTool } from "palimpsest";
import { type AdapterCall, beginAdapterCall, toConfiguration } from "palimpsest/adapter-parts";
import { asObject, asString } from "palimpsest/schema";
import type { OpencodeClient } from "./opencode-plugin.ts";
import { countCleared, separateReminders, toSyncMessages } from "./read-messages.ts";
import { toOpencode } from "./render-message.ts";
import { readFacts, type Sessions } from "./sessions.ts";
import type { LiveCall, OpencodeMessage, OpencodeRequest } from "./wire.ts";

export interface RequestsContext {
  readonly client: OpencodeClient;
  readonly sessions: Sessions;
  readonly report: (level: "info" | "warn", message: string) => void;
}

export interface Requests {
  /** Adopts the messages that opencode is about to send, and replaces them by the messages that the session shows. */
  replace(session: string, messages: OpencodeMessage[]): Promise<void>;
  /** Lets the session compact before its next request, because opencode compacts its own messages. */
  compactNext(session: string): void;
  /** Ends the calls that have no answer yet. */
  end(): void;
}

interface OpenCall {
  readonly call: AdapterCall;
  /** The ids of the messages at the start of the call. */
  readonly known: ReadonlySet<unknown>;
}

/** Keeps one session per conversation of opencode, and its open call until the next request. */
export function createRequests({ client, sessions, report }: RequestsContext): Requests {
  const open = new Map<string, OpenCall>();
  const facts = new Map<string, Promise<LiveCall["facts"]>>();
  const toCompact = new Set<string>();

  function factsOf(providerID: string, modelID: string): Promise<LiveCall["facts"]> {
    const key = `${providerID}/${modelID}`;
    const found = facts.get(key) ?? client.config.providers().then(({ data }) => readFacts(data, providerID, modelID));
    facts.set(key, found);
    return found;
  }

  /** Records the answer to the previous request, which is in the next list. */
  async function finish(session: string, messages: readonly OpencodeMessage[]): Promise<void> {
    const before = open.get(session);
    if (before === undefined) return;
    open.delete(session);
    const answer = messages.find(({ info }) => info["role"] === "assistant" && !before.known.has(info["id"]));
    const { error, finish: ended } = answer?.info ?? {};
    try {
      if (answer !== undefined && error === undefined && ended !== undefined) await before.call.record(answer);
      else if (asObject(error)?.["name"] === "ContextOverflowError") await before.call.recover(toError(error));
    } finally {
      before.call.end();
    }
  }

  async function liveOf(session: string, messages: readonly OpencodeMessage[]): Promise<LiveCall | undefined> {
    const user = messages.findLast(({ info }) => info["role"] === "user")?.info;
    const { providerID, modelID } = asObject(user?.["model"]) ?? {};
    if (user === undefined || typeof providerID !== "string" || typeof modelID !== "string") return undefined;
    const answer = messages.findLast(({ info }) => info["role"] === "assistant")?.info ?? { sessionID: session };
    const agent = asString(user["agent"]);
    return {
      id: modelID,
      providerID,
      agent,
      session,
      like: { user, answer },
      facts: await factsOf(providerID, modelID),
    };
  }

  return {
    async replace(session, messages) {
      await finish(session, messages);
      const live = await liveOf(session, messages);
      if (live === undefined) return;
      const { kept, reminders } = separateReminders(messages);
      const begin = () =>
        beginAdapterCall(
          { sessions, onProblem: (problem) => report("warn", problem.message) },
          {
            list: messages,
            key: session,
            model: live.id,
            live,
            messages: toSyncMessages(kept),
            configuration: toConfiguration(
              [recallTool],
              ({ name, description, inputSchema: schema }) => ({ name, description, schema }),
              {},
            ),
            answer: "streamed",
            signal: undefined,
            clearedResults: countCleared(messages),
          },
        );
      let call = await begin();
      if (toCompact.delete(session)) {
        await sessions
          .open()
          .find(({ id }) => id === session)
          ?.compact();
        call.end();
        call = await begin();
      }
      open.set(session, { call, known: new Set(messages.map(({ info }) => info["id"])) });
      const { notices, compactions } = call.takeReports();
      for (const { message } of notices) report("warn", message);
      for (const { tokensBefore, tokensAfter } of compactions)
        report("info", `Compacted the conversation from ${tokensBefore} to ${tokensAfter} tokens.`);
      const { pieces } = call.request() as OpencodeRequest;
      messages.splice(0, messages.length, ...toOpencode(pieces, live.like, reminders));
    },
    compactNext: (session) => void toCompact.add(session),
    end() {
      for (const { call } of open.values()) call.end();
      open.clear();
    },
  };
}

/** Converts an error of opencode to the form of other clients. */
function toError(error: unknown): Error {
  const { message, responseBody } = asObject(asObject(error)?.["data"]) ?? {};
  return Object.assign(new Error(`${asString(message) ?? ""} ${asString(responseBody) ?? ""}`), { status: 400 });
}
