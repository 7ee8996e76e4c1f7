import { stringify } from 'csv-stringify/sync'

/**
 * Rows as RFC 4180 has them. Whatever a text begins with, a spreadsheet takes it for a text: = + - @ and the like are preceded by an
 * apostrophe. Numbers are none of those, also below zero.
 */
export const csvOf = (rows: readonly (readonly unknown[])[]): string =>
  stringify(rows as unknown[][], {
    record_delimiter: '\r\n',
    escape_formulas: true,
    // A line break alone would be left as it is, since lines end with two characters.
    quoted_match: /[\r\n]/,
    cast: { number: (value) => ({ value: String(value), escape_formulas: false }), boolean: String },
  })
