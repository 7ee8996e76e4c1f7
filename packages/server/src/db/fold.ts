/**
 * The one form in which texts are compared: Unicode NFKC, lower case. Postgres computes the same in
 * `kontor_fold` (migration 0001), SQLite calls this function.
 */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase()
