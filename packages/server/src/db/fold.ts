import { withoutExcessMarks } from '../lib/combining-marks.ts'

/**
 * The one form in which texts are compared: Unicode NFKC, lower case, one sigma; folding twice changes nothing.
 * Postgres computes the same in `kontor_fold` (db/migrations/baseline), SQLite calls this function.
 */
export const fold = (text: string): string =>
  // Texts of requests have fewer marks: parsing refuses them. Those of other services may have any number.
  foldMarked(withoutExcessMarks(text))

const foldMarked = (text: string): string =>
  // A final sigma has a form of its own, which would keep "ΟΔΟΣ" from being found in "ΟΔΟΣΑ". Lower case can make a
  // pair composable that was not in upper case (H̱, J̌), hence the second normalisation.
  text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
