/** Being written. */
import type { Catalogue } from "../../catalogue.ts";
import { en } from "../en/index.ts";

export const lv: Catalogue = en;
