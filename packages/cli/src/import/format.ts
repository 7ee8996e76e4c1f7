import { parse } from 'node:path'
import type { importFormats } from '@kontor/contract'

export type Format = (typeof importFormats)[number]

const formats: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.xlsx': 'xlsx',
  '.vcf': 'vcard',
  '.vcard': 'vcard',
}

/** Endings of the files of rejected rows. */
const endings = { csv: '.csv', ndjson: '.csv', xlsx: '.xlsx', vcard: '.vcf' } as const

/** Returns the format that the name of a file suggests. */
export const formatOf = (path: string): Format => formats[parse(path).ext.toLowerCase()] ?? 'csv'

export const rejectsEnding = (format: Format): string => `.rejects${endings[format]}`
