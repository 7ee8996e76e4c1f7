import { createHash } from 'node:crypto'

/** The position of an activity in a feed: the values of the columns that the feed is ordered by. */
export type FeedPosition = readonly (number | string)[]

/** Hashes the scope of a cursor: the feed, the direction and the filter. */
const hashOf = (scope: unknown): string =>
  createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 12)

/** Encodes a position of a feed as the opaque text of a link. */
export const encodeCursor = (scope: unknown, position: FeedPosition): string =>
  Buffer.from([hashOf(scope), ...position].join('.')).toString('base64url')

/**
 * Decodes a cursor into a position with the number of values of its feed; undefined if it is damaged or from another
 * list.
 */
export function decodeCursor(scope: unknown, cursor: string, length: number): FeedPosition | undefined {
  const [, ...values] = Buffer.from(cursor, 'base64url').toString().split('.')
  const position = values.map((value) =>
    /^[1-9]\d*$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : value,
  )
  // Decoding skips characters that encoding never writes.
  return position.length === length && encodeCursor(scope, position) === cursor ? position : undefined
}
