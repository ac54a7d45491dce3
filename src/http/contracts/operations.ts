/**
 * All operations by name. The control socket, the command line without a server, and the dashboard run the
 * same table on the same services.
 */
import type { z } from "zod";
import { splitOperations } from "../../features/agent/splits-contract.ts";
import { agentOperations } from "../../features/agent/versions-contract.ts";
import { applianceOperations } from "../../features/appliance/contract.ts";
import { nodeOperations } from "../../features/appliance/nodes-contract.ts";
import { moneyOperations } from "../../features/billing/contract.ts";
import { callOperations } from "../../features/call-log/contract.ts";
import { contactOperations } from "../../features/contact/contract.ts";
import { peopleOperations } from "../../features/identity/contract.ts";
import { keyOperations } from "../../features/key/contract.ts";
import { numberOperations } from "../../features/number/contract.ts";
import { tenantOperations } from "../../features/tenant/contract.ts";
import { toolOperations } from "../../features/tool/contract.ts";
import { trunkOperations } from "../../features/trunk/contract.ts";
import type { Operation } from "./operation.ts";

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
