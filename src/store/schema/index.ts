/** Every table, for Drizzle and drizzle-kit. */
export * from "./agents.ts";
export * from "./appliance.ts";
export * from "./call-annotations.ts";
export * from "./call-notes.ts";
export * from "./calls.ts";
export * from "./contacts.ts";
export * from "./diagnostics.ts";
export * from "./do-not-call.ts";
export * from "./identity.ts";
export * from "./ledger-rollups.ts";
export * from "./money.ts";
export * from "./nodes.ts";
export * from "./outbox.ts";
export * from "./tenants.ts";
