/**
 * An operation defines everything about one named request: the Zod schemas of input and output, the required
 * role, and the service call. The control socket serves operations directly; the dashboard's routes run the
 * same ones behind a session.
 */
import { z } from "zod";
import type { Services } from "../../features/appliance/services.ts";

/**
 * Minimum role for an operation. Each role includes the roles before it. The control socket's caller is the
 * operator.
 */
export type Role = "viewer" | "member" | "owner" | "operator";

/** The requester. The command line asks as the operator, the dashboard as the signed-in person. */
export interface Asker {
  readonly isOperator: boolean;
  /** Operating system user on the command line; null: the HTTP pipeline writes the audit log. */
  readonly commandLineUser: string | null;
}

export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  readonly input: Input;
  readonly output: Output;
  readonly role: Role;
  /** Needs a running server; the stored data is not enough. */
  readonly needsServer?: true;
  /** Throws AppError with a message that suggests a fix. */
  run(services: Services, input: z.output<Input>, asker: Asker): Promise<z.output<Output>>;
}

/** Identity function that preserves literal types. */
export const operation = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> => definition;

export const id = z.int().positive();
export const nothing = z.strictObject({});
export const ofTenant = z.strictObject({ tenant: id });
export const optionalTime = z.iso.datetime({ offset: true }).nullable();
