/** Asks for operations in this process. Their table, with its schemas, is loaded with the first question. */
import { OPERATING_SYSTEM_USER } from "../../core/operating-system-user.ts";
import type { Services } from "../../operations/admin/services.ts";
import type { Asker } from "./operation.ts";
import type { Ask, InputOf, OperationName, OutputOf } from "./operations.ts";

/** Somebody at the operator's pages. */
export const OPERATOR_PAGES: Asker = { isOperator: true, commandLineUser: null };
/** Who began this process. */
export const COMMAND_LINE: Asker = { isOperator: true, commandLineUser: OPERATING_SYSTEM_USER };

export const askServices =
  (services: Services, asker: Asker): Ask =>
  async <Name extends OperationName>(name: Name, input: InputOf<Name>) => {
    const { runOperation } = await import("./run-operation.ts");
    return (await runOperation(services, name, input, asker)) as OutputOf<Name>;
  };
