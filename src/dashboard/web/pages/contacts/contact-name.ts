/** A contact's display name, and the contact with a given number. */
import { useQuery } from "@tanstack/react-query";
import type { Rest } from "../../api/client.ts";
import { contactsFoundQuery } from "../../api/queries.ts";

type Named = Pick<Rest["Contact"], "first_name" | "last_name" | "number_e164">;

/** The contact's name, else the number. */
export const contactName = ({ first_name, last_name, number_e164 }: Named): string =>
  `${first_name} ${last_name}`.trim() || number_e164;

/** Returns null if the number has no contact, or while contacts load. */
export function useContactName(number: string | null): string | null {
  const { data = [] } = useQuery({
    ...contactsFoundQuery(number ?? "", 1),
    enabled: number !== null,
  });
  const [contact] = data;
  return contact && contact.number_e164 === number ? contactName(contact) : null;
}
