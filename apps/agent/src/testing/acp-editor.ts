import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientContext,
  client,
  type InitializeResponse,
  methods,
  ndJsonStream,
  type PromptRequest,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import type { Cli, CommandLine, StartOptions } from "./run-cli.ts";

export interface EditorOptions extends Pick<StartOptions, "environment"> {
  readonly capabilities?: ClientCapabilities;
  /** Chooses an option by its id. `silent`: the editor never answers. @default the first option */
  readonly choose?: (request: RequestPermissionRequest) => string | "cancelled" | "silent";
  /** Answers a form. @default declined */
  readonly fill?: (message: string) => Readonly<Record<string, string>> | undefined;
  /** The text of a file in the editor. @default the editor does not know the file */
  readonly textOf?: (path: string) => string | undefined;
}

/** An editor with the official client, which talks to `palimpsest acp` in a process of its own. */
export interface Editor extends CommandLine {
  readonly agent: ClientContext;
  readonly handshake: InitializeResponse;
  /** Updates of all sessions since this was last read. */
  take(): readonly SessionUpdate[];
  /** Questions for permission so far. */
  readonly asked: RequestPermissionRequest[];
  /** Resolves when an update has arrived, and forgets those before it. */
  until(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  prompt(sessionId: string, text: string): Promise<string>;
}

export async function startEditor(cli: Cli, args: readonly string[], options: EditorOptions = {}): Promise<Editor> {
  const { choose = ({ options: [first] }) => first!.optionId, fill, textOf, capabilities = {}, ...start } = options;
  const line = cli.start(["acp", ...args], { input: "open", output: "open", ...start });
  const updates: SessionUpdate[] = [];
  let look = (): void => {};
  const asked: RequestPermissionRequest[] = [];
  const app = client({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
      look();
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const optionId = choose(params);
      if (optionId === "silent") return new Promise<never>(() => {});
      return { outcome: optionId === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
    })
    .onRequest(methods.client.elicitation.create, async ({ params }) => {
      const content = fill?.(params.message);
      return content === undefined ? { action: "decline" } : { action: "accept", content };
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params: { path } }) => {
      const content = textOf?.(path);
      if (content === undefined) throw new Error("the editor does not know the file");
      return { content };
    });
  const { stdin, stdout } = line.process;
  const toAgent = Writable.toWeb(stdin) as WritableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(toAgent, Readable.toWeb(stdout) as ReadableStream<Uint8Array>));
  onTestFinished(() => connection.close());
  const { agent } = connection;
  const handshake = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: capabilities,
    clientInfo: { name: "editor", version: "1" },
  });
  return {
    ...line,
    agent,
    handshake,
    asked,
    take: () => updates.splice(0),
    async until(fits) {
      for (;;) {
        const at = updates.findIndex(fits);
        if (at >= 0) return updates.splice(0, at + 1).at(-1)!;
        await new Promise<void>((resolve) => {
          look = resolve;
        });
      }
    },
    async prompt(sessionId, text) {
      const request: PromptRequest = { sessionId, prompt: [{ type: "text", text }] };
      const { stopReason } = await agent.request(methods.agent.session.prompt, request);
      return stopReason;
    },
  };
}

/** The text of all messages among updates. */
export function saidIn(updates: readonly SessionUpdate[]): string {
  return updates
    .flatMap((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : [],
    )
    .join("");
}
