/**
 * Defaults and choices of an OpenAPI document's named bodies, as constants: forms start with the
 * API's defaults and list the API's choices.
 */

interface Property {
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Property;
}

interface Document {
  readonly components?: {
    readonly schemas?: Readonly<
      Record<string, { readonly properties?: Readonly<Record<string, Property>> }>
    >;
  };
}

const choicesOf = (property: Property) => property.enum ?? property.items?.enum;

/** `NewAgent` gives `newAgentDefaults` and `newAgentChoices`, each only if it is not empty. */
export function bodyValues(document: object): string {
  const { schemas = {} } = (document as Document).components ?? {};
  const constants: string[] = [];
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    const fields = Object.entries(properties);
    const defaults = fields.filter(([, property]) => property.default !== undefined);
    const choices = fields.filter(([, property]) => choicesOf(property) !== undefined);
    const stem = name.charAt(0).toLowerCase() + name.slice(1);
    const add = (suffix: string, entries: readonly (readonly [string, unknown])[]) => {
      if (entries.length > 0)
        constants.push(
          `export const ${stem}${suffix} = ${JSON.stringify(Object.fromEntries(entries), null, 2)} as const;\n`,
        );
    };
    add(
      "Defaults",
      defaults.map(([field, property]) => [field, property.default]),
    );
    add(
      "Choices",
      choices.map(([field, property]) => [field, choicesOf(property)]),
    );
  }
  return constants.join("\n");
}
