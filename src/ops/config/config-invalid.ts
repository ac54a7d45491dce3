/** The error for an invalid configuration. A separate file, so that importing it does not load the schema. */
export class ConfigInvalid extends Error {
  /** One line per mistake: place, problem, allowed values, nearest known key. */
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigInvalid";
  }
}
