import { Readable } from "node:stream";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { readAgentArguments } from "../commands/agent-arguments.ts";
import { COMMANDS } from "../commands/definitions.ts";
import { EXIT } from "../commands/exit-codes.ts";
import { readArguments } from "../commands/read-arguments.ts";
import type { Terminal } from "../commands/terminal.ts";
import { answered, answerRequests } from "./answer-requests.ts";

/** Runs the agent for an editor until the editor closes the connection. Standard output carries only the protocol. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.acp);
  const agentArguments = readAgentArguments(values);
  const unread = terminal.unread();
  const interrupted = terminal.interruption();
  const gone = new AbortController();
  const requests = answerRequests({ terminal, providerArguments: values, agentArguments, gone: gone.signal });
  const app = agent({ name: "palimpsest" });
  const { agent: of } = methods;
  app
    .onRequest(of.initialize, ({ params }) => requests.initialize(params))
    .onRequest(
      of.authenticate,
      answered(() => requests.authenticate()),
    )
    .onRequest(
      of.session.new,
      answered(({ params, client }) => requests.create(params, client)),
    )
    .onRequest(
      of.session.load,
      answered(({ params, client }) => requests.load(params, client)),
    )
    .onRequest(
      of.session.resume,
      answered(({ params, client }) => requests.resume(params, client)),
    )
    .onRequest(
      of.session.list,
      answered(({ params }) => requests.list(params)),
    )
    .onRequest(
      of.session.close,
      answered(({ params }) => requests.close(params.sessionId)),
    )
    .onRequest(
      of.session.setMode,
      answered(({ params }) => requests.setMode(params)),
    )
    .onRequest(
      of.session.setConfigOption,
      answered(({ params }) => requests.setOption(params)),
    )
    .onRequest(
      of.session.prompt,
      answered(({ params, signal }) => requests.prompt(params, signal)),
    )
    .onNotification(of.session.cancel, ({ params }) => requests.cancel(params.sessionId));
  const connection = app.connect(ndJsonStream(toLines(terminal), toBytes(terminal.input)));
  for (const signal of [unread, interrupted]) signal.addEventListener("abort", () => connection.close());
  await connection.closed;
  gone.abort();
  await requests.closeAll();
  const { reason } = connection.signal;
  if (isTooLarge(reason)) {
    terminal.say(`palimpsest: the editor sent a message that is too large. ${reason.message}.`, "warning");
    return EXIT.failed;
  }
  return typeof interrupted.reason === "number" ? interrupted.reason : EXIT.done;
}

/** Converts the connection's output, which is whole lines. */
function toLines({ print }: Terminal): WritableStream<Uint8Array> {
  const decoder = new TextDecoder();
  return new WritableStream({ write: (bytes) => print(decoder.decode(bytes).replace(/\n$/, "")) });
}

function toBytes(input: Terminal["input"]): ReadableStream<Uint8Array> {
  return Readable.toWeb(input as Readable) as ReadableStream<Uint8Array>;
}

function isTooLarge(reason: unknown): reason is Error {
  return reason instanceof Error && reason.name === "MessageTooLargeError";
}
