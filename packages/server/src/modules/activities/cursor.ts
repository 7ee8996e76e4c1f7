import { createHash } from 'node:crypto'

/** What a cursor belongs to: the record, the direction and the filter. */
const hashOf = (scope: unknown): string => createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 12)

/** A position of a feed as the opaque text of a link. */
export const encodeCursor = (scope: unknown, position: number): string => Buffer.from(`${hashOf(scope)}.${position}`).toString('base64url')

/** The position of a cursor; undefined for one that is damaged or of another list. */
export function decodeCursor(scope: unknown, cursor: string): number | undefined {
  const [hash, position, ...rest] = Buffer.from(cursor, 'base64url').toString().split('.')
  const valid = hash === hashOf(scope) && rest.length === 0 && /^[1-9]\d{0,14}$/.test(position ?? '')
  return valid ? Number(position) : undefined
}
