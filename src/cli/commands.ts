/**
 * The commands with their summaries. Each command's module is loaded on demand, so that the server
 * and the commands start without each other's code.
 */
import { type Command, PHONES } from "./usage.ts";

/** One line per command for `linevoice --help`, in display order. */
export const summaries = {
  serve: "run the appliance",
  demo: "run a self-contained demo with a built-in carrier",
  setup: "print a one-time link to create the owner account",
  tenant: "create, list, suspend and resume tenants",
  user: "create user accounts, list them, reset passwords",
  key: "create an API key (shown once); rotate the master key",
  trunk: "connect a tenant to its SIP provider",
  number: "confirm which tenant a phone number belongs to",
  nodes: "list the nodes that share the store; drain a node before you stop it",
  agent: "list, compare and roll back the versions of an agent",
  tool: "create, list and delete a tenant's HTTP tools",
  contact: "list, import and export a tenant's contacts",
  campaign: "list, start, pause, resume and cancel campaigns",
  credit: "credit a tenant's wallet",
  checkout: "list payments by bank transfer, and confirm their arrival",
  statement: "print a tenant's month: a page, or the ledger or calls as CSV",
  call: "place a call and follow it live",
  rehearse: "rehearse calls with an agent before callers make them",
  engine: "try speech to text, language model and text to speech, one request each",
  doctor: "check everything a call needs; show how to fix problems",
  clock: "confirm that the clock is right, after it jumped",
  ready: "check whether the running server can handle calls",
  logs: "show recent log lines; trace one call through SIP, media, engine, tools, webhooks and billing",
  config: "validate the configuration; show the effective settings and their sources",
  migrate: "show or apply database migrations",
  backup: "copy the database while it is in use; list and check copies",
  restore: "restore a backup; the current database is kept",
  store: "copy all data into another store: from the file to a libSQL server, or back",
  erase: "erase all data about one phone number",
  export: "export a tenant's data as JSON Lines",
  "support-bundle": "collect diagnostics for support, without secrets or personal data",
  version: "print the version",
} as const;

type CommandName = keyof typeof summaries;

const loaders: Readonly<Record<CommandName, () => Promise<Command>>> = {
  serve: async () => (await import("./serve.ts")).serveCommand,
  demo: async () => (await import("./demo.ts")).demoCommand,
  setup: async () => (await import("./setup.ts")).setupCommand,
  tenant: async () => (await import("./tenant.ts")).tenantCommand,
  user: async () => (await import("./user.ts")).userCommand,
  key: async () => (await import("./key.ts")).keyCommand,
  trunk: async () => (await import("./trunk.ts")).trunkCommand,
  number: async () => (await import("./number.ts")).numberCommand,
  nodes: async () => (await import("./nodes.ts")).nodesCommand,
  agent: async () => (await import("./agent.ts")).agentCommand,
  tool: async () => (await import("./tool.ts")).toolCommand,
  contact: async () => (await import("./contact.ts")).contactCommand,
  campaign: async () => (await import("./campaign.ts")).campaignCommand,
  credit: async () => (await import("./credit.ts")).creditCommand,
  checkout: async () => (await import("./checkout.ts")).checkoutCommand,
  statement: async () => (await import("./statement.ts")).statementCommand,
  call: async () => (await import("./call.ts")).callCommand,
  rehearse: async () => (await import("./rehearse.ts")).rehearseCommand,
  engine: async () => (await import("./engine.ts")).engineCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  clock: async () => (await import("./clock.ts")).clockCommand,
  ready: async () => (await import("./ready.ts")).readyCommand,
  logs: async () => (await import("./logs.ts")).logsCommand,
  config: async () => (await import("./config.ts")).configCommand,
  migrate: async () => (await import("./migrate.ts")).migrateCommand,
  backup: async () => (await import("./backup.ts")).backupCommand,
  restore: async () => (await import("./restore.ts")).restoreCommand,
  store: async () => (await import("./store.ts")).storeCommand,
  erase: async () => (await import("./erase.ts")).eraseCommand,
  export: async () => (await import("./export.ts")).exportCommand,
  "support-bundle": async () => (await import("./support-bundle.ts")).supportBundleCommand,
  version: async () => (await import("./version.ts")).versionCommand,
};

export const commandNames = Object.keys(summaries);

const isCommand = (name: string): name is CommandName => Object.hasOwn(summaries, name);

/** Returns null for an unknown command. */
export async function loadCommand(name: string): Promise<Command | null> {
  if (name === PHONES) return (await import("./phones.ts")).phonesCommand;
  return isCommand(name) ? await loaders[name]() : null;
}
