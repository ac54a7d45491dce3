/** The stores that calls need (domain/call/stores.ts). */
import type { CallStores } from "../../../domain/call/stores.ts";
import { callerStore } from "../contact/caller-store.ts";
import { scheduleStore } from "../schedule/schedule-store.ts";
import { callNotesStore } from "./call-notes-store.ts";
import { callSetupStore } from "./call-setup-store.ts";
import { callStore } from "./call-store.ts";
import { diagnosticsStore } from "./diagnostics-store.ts";
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
