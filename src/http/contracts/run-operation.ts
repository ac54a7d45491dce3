/** Runs an operation by name: validates the input, and records changes by the command line. */
import type { Services } from "../../features/appliance/services.ts";
import { checked } from "./check.ts";
import { auditEntryOf } from "./command-line-audit.ts";
import type { Asker } from "./operation.ts";
import { anyOperation, type OperationName } from "./operations.ts";

/** Throws AppError, also for invalid input. */
export async function runOperation(
  services: Services,
  name: OperationName,
  input: unknown,
  asker: Asker,
): Promise<unknown> {
  const { input: schema, run } = anyOperation(name);
  const asked = checked(schema, input);
  const output = await run(services, asked, asker);
  const { commandLineUser: user } = asker;
  const entry = user === null ? null : await auditEntryOf(services, name, asked, output, user);
  if (entry) await services.identity.audit.write(entry);
  return output;
}
