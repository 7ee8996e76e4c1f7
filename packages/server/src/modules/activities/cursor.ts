import { createHash } from 'node:crypto'

/** What a cursor belongs to: the record, the direction and the filter. */
const hashOf = (scope: unknown): string => createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 12)

/** A position of a feed as the opaque text of a link. */
export const encodeCursor = (scope: unknown, position: number): string => Buffer.from(`${hashOf(scope)}.${position}`).toString('base64url')

/** The position of a cursor; undefined for one that is damaged or of another list. */
export function decodeCursor(scope: unknown, cursor: string): number | undefined {
  const position = Number(Buffer.from(cursor, 'base64url').toString().split('.')[1])
  // Decoding passes over characters that encoding never writes.
  return Number.isSafeInteger(position) && position > 0 && encodeCursor(scope, position) === cursor ? position : undefined
}
