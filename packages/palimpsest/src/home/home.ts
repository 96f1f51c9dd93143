export { elapsedMs } from "./holder.ts";
export { ClosedHomeError, DamagedHomeError, HomeFormatError } from "./home-errors.ts";
export { type KeepLeaseOptions, type KeptLease, keepLease } from "./leases/keep-lease.ts";
export type { Guarded, Lease, LeaseFacts } from "./leases/lease.ts";
export type { LeaseHolder } from "./leases/lease-rows.ts";
export type { LeaseState, Leases, TakeResult } from "./leases/leases.ts";
export { type Home, type HomeOptions, openHome } from "./open-home.ts";
export { type FoundProcess, type Processes, type ProcessMark, systemProcesses } from "./processes.ts";
