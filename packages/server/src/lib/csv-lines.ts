import { stringify } from 'csv-stringify/sync'
import { guardedCell } from '@kontor/contract'

/**
 * Writes rows as RFC 4180 CSV, in which a spreadsheet finds no formula. Numbers are not guarded, negative ones
 * included.
 */
export const csvLines = (rows: readonly (readonly unknown[])[]): string =>
  stringify([...rows], {
    record_delimiter: '\r\n',
    // A single line break character would remain unquoted, since lines end with two characters, and what reads the file
    // may take white space off a cell without quotes.
    quoted_match: /[\r\n]|^\s|\s$/,
    cast: { string: guardedCell, number: String, boolean: String },
  })
