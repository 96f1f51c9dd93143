import type { Connection } from "../adapters/sessions.ts";
import type { Provider } from "../providers/provider.ts";

/** The calls that a session has been used by. */
export interface KnownCalls<Live> {
  /** The newest call of a model, or the first one of all. */
  ofModel(id: string): Live;
  newest(): Live;
}

/** Connects a session to its framework: models and options of calls that it makes by itself are those of the newest call. */
export function connectNewest<Request, Response, Message, Live extends { readonly id: string }>(
  first: Live,
  create: (calls: KnownCalls<Live>) => Provider<Request, Response, Message>,
): Connection<Request, Response, Message, Live> {
  const known = new Map([[first.id, first]]);
  let newest = first;
  return {
    provider: create({ ofModel: (id) => known.get(id) ?? first, newest: () => newest }),
    use(live) {
      known.set(live.id, live);
      newest = live;
    },
  };
}
