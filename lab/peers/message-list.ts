import type { Subject } from "../src/overhead/subject.ts";
import type { Round } from "../src/overhead/transcript.ts";

/** A library that is called with the whole list of messages before every request. */
export interface MessageListPeer<Message> extends Pick<Subject, "name" | "counts"> {
  readonly first: Message;
  toCall(round: Round): Message;
  toResult(round: Round): Message;
  /** Begins a conversation. Returns what is called before each request. */
  begin(): (messages: Message[]) => unknown;
}

export function messageListPeer<Message>({ name, counts, ...peer }: MessageListPeer<Message>): Subject {
  return {
    name,
    counts,
    async begin(rounds) {
      const beforeRequest = peer.begin();
      const messages = [peer.first];
      for (const round of rounds) messages.push(peer.toCall(round), peer.toResult(round));
      return {
        async next(round) {
          messages.push(peer.toCall(round));
          const result = peer.toResult(round);
          return () => {
            messages.push(result);
            return beforeRequest(messages);
          };
        },
      };
    },
  };
}
