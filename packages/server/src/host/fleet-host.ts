import type { Dispatch } from "@palimpsest/coordination";
import { type SessionTarget, say, stop } from "@palimpsest/fleet";
import type { Session, Store } from "palimpsest";
import type { OpenPurpose, SessionHost } from "./session-host.ts";

/** How the host of a fleet finds stores and opens sessions. */
export interface FleetHostOptions extends Pick<SessionHost, "health"> {
  /** The logs of a tenant: those of the workers. */
  store(tenant: string): Store;
  /** The inboxes, approvals, events and schedule of a tenant: those of the workers. */
  dispatch(tenant: string): Dispatch;
  /** Opens a session as the workers do, with `takeover: "always"`. */
  open(target: SessionTarget, store: Store, purpose: OpenPurpose): Promise<Session>;
}

/** The sessions that the workers of `@palimpsest/fleet` run, for a server. The workers may be in this process or anywhere. */
export function fleetHost({ store, dispatch, open, health }: FleetHostOptions): SessionHost {
  return {
    health,
    tenant(tenant) {
      const ports = dispatch(tenant);
      return {
        store: store(tenant),
        dispatch: ports,
        open: (session, from, purpose) => open({ tenant, session }, from, purpose),
        say: (session, message) => say(ports.inbox, session, withOwnKey(message)),
        stop: (session, request) => stop(ports.inbox, session, withOwnKey(request)),
      };
    },
  };
}

/** Keys of clients must not meet those under which agents report to a session. */
function withOwnKey<Input extends { readonly key: string }>(input: Input): Input {
  return { ...input, key: `client ${input.key}` };
}
