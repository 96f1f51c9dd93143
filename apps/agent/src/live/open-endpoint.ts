import type { ResponseContent } from "palimpsest/core";
import type { ProviderChoice } from "../commands/choose-provider.ts";
import { connect } from "../commands/connect.ts";
import type { Endpoint } from "../commands/live/probe.ts";
import { tapFetch } from "./wire-tap.ts";

export interface LiveEndpoint extends Endpoint {
  /** The responses since the last call. */
  takeReplies(): readonly ResponseContent[];
  /** The number of calls so far. */
  calls(): number;
}

/** Opens the real service with the user's key. */
export async function openEndpoint(choice: ProviderChoice): Promise<LiveEndpoint> {
  const tap = tapFetch(globalThis.fetch);
  const replies: ResponseContent[] = [];
  let calls = 0;
  return {
    provider: await connect(choice, tap),
    onResponse: (content) => void replies.push(content),
    takeReplies: () => replies.splice(0),
    calls: () => calls,
    async takeExchanges() {
      const exchanges = await tap.take();
      calls += exchanges.length;
      return exchanges;
    },
  };
}
