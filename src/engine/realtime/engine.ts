/** placeholder */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { Engine } from "../ports.ts";
import type { RealtimeSettings } from "../settings.ts";

export interface RealtimeEngineOptions {
  readonly settings: RealtimeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function createRealtimeEngine(_: RealtimeEngineOptions): Engine {
  throw new Error("soon");
}
