/** Every route of both APIs with its request schemas, from the generated documents. */

import { allContracts } from "../../../src/app/server/contracts.ts";
import { dashboardContracts } from "../../../src/app/server/dashboard-contracts.ts";
import type { Contract } from "../../../src/http/contract.ts";
import { openApiDocument } from "../../../src/http/openapi.ts";

export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
  readonly format?: string;
  readonly pattern?: string;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly schema: FieldSchema;
  readonly example?: unknown;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: readonly Parameter[];
            readonly requestBody?: {
              readonly content: { readonly "application/json": { readonly schema: FieldSchema } };
            };
          }
        >
      >
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, FieldSchema>> };
}

const API = "/api/v1";
const DASHBOARD = "/api/dashboard";

const documents = new Map<string, Document>(
  [[API, allContracts()] as const, [DASHBOARD, dashboardContracts()] as const].map(
    ([mount, contracts]) => [mount, openApiDocument(contracts, "0") as unknown as Document],
  ),
);

function documentOf(mount: string): Document {
  const document = documents.get(mount);
  if (!document) throw new Error(`no document of ${mount}`);
  return document;
}

export function operationOf(
  mount: string,
  { path, method, operationId }: Contract,
): { readonly parameters: readonly Parameter[]; readonly body: FieldSchema | undefined } {
  const operation = documentOf(mount).paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`no operation ${operationId}`);
  return {
    parameters: operation.parameters ?? [],
    body: operation.requestBody?.content["application/json"].schema,
  };
}

/** Follows references and alternatives to the first schema other than null. */
export function resolved(mount: string, schema: FieldSchema): FieldSchema {
  const { $ref } = schema;
  if ($ref)
    return resolved(
      mount,
      documentOf(mount).components.schemas[$ref.split("/").at(-1) ?? ""] ?? {},
    );
  const variants = schema.anyOf ?? schema.oneOf;
  const variant = variants?.find((one) => one.type !== "null");
  return variant ? resolved(mount, variant) : schema;
}

/** The largest value that the document allows. */
export function largest(mount: string, given: FieldSchema): unknown {
  const schema = resolved(mount, given);
  const { type, properties, items, examples } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.at(-1);
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, largest(mount, inner)]),
    );
  if (type === "array")
    return Array.from({ length: Math.min(schema.maxItems ?? 1, 1000) }, () =>
      largest(mount, items ?? {}),
    );
  if (type === "string" && !schema.format && !schema.pattern && schema.maxLength)
    return "x".repeat(schema.maxLength);
  if (type === "integer" && (schema.maximum ?? 1e9) < 1e6) return schema.maximum;
  return examples?.[0] ?? null;
}

/** Routes that end the session or the appliance's own trunk, so they run last. */
const LAST = [
  "signOut",
  "endSession",
  "setActiveTenant",
  "changePassword",
  "removeMember",
  "changeRole",
];
const order = ({ operationId, method }: Contract) =>
  LAST.includes(operationId) ? 2 : method === "DELETE" ? 1 : 0;

/** Name, mount and contract of every route; deletions come last. */
export const everyRoute = () =>
  [
    ...allContracts().map((contract) => ({ mount: API, contract })),
    ...dashboardContracts().map((contract) => ({ mount: DASHBOARD, contract })),
  ]
    .toSorted((left, right) => order(left.contract) - order(right.contract))
    .map(
      ({ mount, contract }) =>
        [`${contract.method} ${mount}${contract.path}`, mount, contract] as const,
    );
