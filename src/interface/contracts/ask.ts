/** Asks for operations in this process. Their table, with its schemas, is loaded with the first question. */
import type { Services } from "../../operations/admin/services.ts";
import type { Asker } from "./operation.ts";
import type { Ask, InputOf, OperationName, OutputOf } from "./operations.ts";

export const askServices =
  (services: Services, asker?: Asker): Ask =>
  async <Name extends OperationName>(name: Name, input: InputOf<Name>) => {
    const { runOperation } = await import("./operations.ts");
    return (await runOperation(services, name, input, asker)) as OutputOf<Name>;
  };
