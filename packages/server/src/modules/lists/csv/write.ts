import { stringify } from 'csv-stringify/sync'

/**
 * Writes rows as RFC 4180 CSV. A spreadsheet must take every text for a text: = + - @ and the like at its beginning are
 * preceded by an apostrophe. Numbers are exempt, negative ones too.
 */
export const csvOf = (rows: readonly (readonly unknown[])[]): string =>
  stringify([...rows], {
    record_delimiter: '\r\n',
    escape_formulas: true,
    // A single line break character would remain unquoted, since lines end with two characters.
    quoted_match: /[\r\n]/,
    cast: { number: (value) => ({ value: String(value), escape_formulas: false }), boolean: String },
  })
