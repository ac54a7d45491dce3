/** Loads a call's record and the details of all its traces. */
import type { Rest } from "../../api/client.ts";
import type { callDetailsQuery, QueryData } from "../../api/queries.ts";

export type Call = Rest["Call"];

export type Details = QueryData<ReturnType<typeof callDetailsQuery>>;
