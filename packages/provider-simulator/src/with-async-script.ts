import type { AsyncHttpFace, HttpCall, HttpFace, HttpReply } from "./http-face.ts";
import type { Ask, AsyncScript, Reply, Script } from "./script.ts";

/** Leaves a face at the point where it needs a reply that is not there yet. */
class Unanswered extends Error {
  readonly reply: Promise<Reply>;

  constructor(reply: Promise<Reply>) {
    super("The script has not answered yet.");
    this.reply = reply;
  }
}

/**
 * Gives a face a script that takes time. A face is a pure step from the request to its answer, so it is left when the
 * script has not answered yet, and asked again with the reply: only what an answer brings about changes its state.
 * Answers are counted when the script is asked for them, so that simultaneous requests get different turns.
 */
export function withAsyncScript(script: AsyncScript, create: (script: Script) => HttpFace): AsyncHttpFace {
  let turn = 0;
  /** Of the call that the face handles at this moment. */
  let replies: Reply[] = [];
  let asked = 0;

  function hear(ask: Ask): Reply {
    const known = replies[asked++];
    if (known !== undefined) return known;
    const reply = script({ ...ask, turn: ask.purpose === "compaction" ? turn : turn++ });
    if (isPromise(reply)) throw new Unanswered(reply);
    replies.push(reply);
    return reply;
  }

  const face = create(hear);

  /** Nothing waits in here: one call cannot take the replies of another. */
  function attempt(call: HttpCall, heard: Reply[]): HttpReply | undefined | Unanswered {
    replies = heard;
    asked = 0;
    try {
      return face.handle(call);
    } catch (error) {
      if (error instanceof Unanswered) return error;
      throw error;
    }
  }

  return {
    async handle(call) {
      const heard: Reply[] = [];
      for (;;) {
        const reply = attempt(call, heard);
        if (!(reply instanceof Unanswered)) return reply;
        heard.push(await reply.reply);
      }
    },
  };
}

function isPromise(reply: Reply | Promise<Reply>): reply is Promise<Reply> {
  return "then" in reply;
}
