/** The stores that calls need (call/stores.ts). */

import { diagnosticsStore } from "../../features/call-log/diagnostics-store.ts";
import { callerStore } from "../../features/contact/caller-store.ts";
import { scheduleStore } from "../../features/schedule/schedule-store.ts";
import type { CallStores } from "../stores.ts";
import { callNotesStore } from "./call-notes-store.ts";
import { callSetupStore } from "./call-setup-store.ts";
import { callStore } from "./call-store.ts";
import { dialledStore } from "./dialled-store.ts";
import { recordingStore } from "./recording-store.ts";

export const callStores: CallStores = {
  calls: callStore,
  setup: callSetupStore,
  schedules: scheduleStore,
  dialled: dialledStore,
  purposes: callerStore,
  notes: callNotesStore,
  diagnostics: diagnosticsStore,
  recordings: recordingStore,
};
