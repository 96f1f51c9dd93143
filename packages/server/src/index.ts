export { type FleetHostOptions, fleetHost } from "./host/fleet-host.ts";
export type {
  HostHealth,
  OpenPurpose,
  SaidMessage,
  SessionHost,
  StopRequest,
  TakenInput,
  TenantSessions,
} from "./host/session-host.ts";
export { snapshotStore } from "./host/snapshot-store.ts";
export type { ProblemCode } from "./http/problems.ts";
export { openApiDocument } from "./open-api-document.ts";
export { type FleetServer, type ServedAgent, type ServeFleetOptions, serveFleet } from "./serve-fleet.ts";
export { type SessionServer, serveSessions } from "./serve-sessions.ts";
export {
  type AnsweredRequest,
  DEFAULT_LIMITS,
  type ServerLimits,
  type ServeSessionsOptions,
} from "./server-options.ts";
export {
  type CreatedToken,
  createToken,
  SCOPES,
  type Scope,
  type StoredToken,
  type TokenDraft,
  type Tokens,
} from "./tokens/token.ts";
export { tokenFolder } from "./tokens/token-folder.ts";
