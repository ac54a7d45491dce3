/**
 * An operation says everything about one thing that can be asked for by name: the Zod schemas of what it
 * takes and answers, who may ask, and which service carries it out. The control socket serves operations as
 * they are; the dashboard's routes carry out the same ones behind a session.
 */
import { z } from "zod";
import type { Services } from "../../operations/admin/services.ts";

/**
 * Who may use an operation. Each role includes the roles before it. The control socket's caller is
 * the operator.
 */
export type Role = "viewer" | "member" | "owner" | "operator";

/** Who asks. The command line asks as the operator, the dashboard as the person signed in. */
export interface Asker {
  readonly isOperator: boolean;
  /** The operating system's user, on the command line; null: the HTTP pipeline writes the audit log. */
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
  /** Throws AppError with a message that says what to do. */
  run(services: Services, input: z.output<Input>, asker: Asker): Promise<z.output<Output>>;
}

/** Keeps the literal types. */
export const operation = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> => definition;

export const id = z.int().positive();
export const nothing = z.strictObject({});
export const ofTenant = z.strictObject({ tenant: id });
export const optionalTime = z.iso.datetime({ offset: true }).nullable();
