export { ClosedHomeError, DamagedHomeError, HomeFormatError } from "./home-errors.ts";
export { type Home, type HomeOptions, openHome } from "./open-home.ts";
export { type Processes, type ProcessMark, systemProcesses } from "./processes.ts";
