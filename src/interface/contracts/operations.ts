/**
 * All operations by name. The control socket, the command line without a server, and the dashboard run the
 * same table on the same services.
 */
import type { z } from "zod";
import { splitOperations } from "./agent-splits.ts";
import { agentOperations } from "./agent-versions.ts";
import { applianceOperations } from "./appliance.ts";
import { callOperations } from "./calls.ts";
import { contactOperations } from "./contacts.ts";
import { keyOperations } from "./keys.ts";
import { moneyOperations } from "./money.ts";
import { nodeOperations } from "./nodes.ts";
import { numberOperations } from "./numbers.ts";
import type { Operation } from "./operation.ts";
import { peopleOperations } from "./people.ts";
import { tenantOperations } from "./tenants.ts";
import { toolOperations } from "./tools.ts";
import { trunkOperations } from "./trunks.ts";

export const operations = {
  ...tenantOperations,
  ...peopleOperations,
  ...keyOperations,
  ...trunkOperations,
  ...numberOperations,
  ...toolOperations,
  ...agentOperations,
  ...splitOperations,
  ...contactOperations,
  ...moneyOperations,
  ...callOperations,
  ...applianceOperations,
  ...nodeOperations,
} as const;

export type OperationName = keyof typeof operations;
export type InputOf<Name extends OperationName> = z.input<(typeof operations)[Name]["input"]>;
export type OutputOf<Name extends OperationName> = z.output<(typeof operations)[Name]["output"]>;

/** Runs an operation by name, in this process or through the control socket. Throws AppError. */
export type Ask = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
) => Promise<OutputOf<Name>>;

export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

export const anyOperation = (name: OperationName): Operation => operations[name] as Operation;

export const needsServer = (name: OperationName): boolean =>
  anyOperation(name).needsServer ?? false;
