import { sortInPortions } from './portions.ts'

type Claim = { readonly field: string; readonly key_value: string }

/** Sorts claims of unique values into one global order: two transactions that claim the same ones do not deadlock. */
export const inClaimOrder = <Some extends Claim>(claims: readonly Some[]): Promise<readonly Some[]> =>
  sortInPortions(claims, (a, b) => compare(a.field, b.field) || compare(a.key_value, b.key_value))

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
