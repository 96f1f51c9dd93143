/** `@palimpsest/observe/proxy`: a proxy before model services that changes nothing, and says what agents spend and lose. */

export type { ForwardLimits } from "./forward/forward-request.ts";
export type { PassedReason, ProxyEvent } from "./proxy-event.ts";
export {
  DEFAULT_PROXY_LIMITS,
  type ProxyLimits,
  type ProxyMode,
  type ProxyOptions,
  type StartedProxy,
  startProxy,
} from "./start-proxy.ts";
export type { Upstreams } from "./upstreams.ts";
