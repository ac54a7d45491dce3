/** Runs operations in this process. The table of operations and its schemas load at the first use. */
import { OPERATING_SYSTEM_USER } from "../../core/operating-system-user.ts";
import type { Services } from "../../features/appliance/services.ts";
import type { Asker } from "./operation.ts";
import type { Ask, InputOf, OperationName, OutputOf } from "./operations.ts";

/** The operator on the dashboard's operator pages. */
export const OPERATOR_PAGES: Asker = { isOperator: true, commandLineUser: null };
/** The operating system user who started this process. */
export const COMMAND_LINE: Asker = { isOperator: true, commandLineUser: OPERATING_SYSTEM_USER };

export const askServices =
  (services: Services, asker: Asker): Ask =>
  async <Name extends OperationName>(name: Name, input: InputOf<Name>) => {
    const { runOperation } = await import("./run-operation.ts");
    return (await runOperation(services, name, input, asker)) as OutputOf<Name>;
  };
