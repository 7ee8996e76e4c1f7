import { deserialize, serialize } from 'node:v8'
import { defined } from '../lib/guards.ts'
import { nextTurn } from '../lib/portions.ts'

/** Values of one piece: some milliseconds for the server that reads it. */
const pieceWeight = 5000

/**
 * Serializes a long list for the output of a task in pieces, which `joined` reads one by one: the server would need
 * half a second for 300,000 objects, in which it serves nobody.
 */
export function inPieces<T>(items: readonly T[], weigh: (item: T) => number = () => 1): Buffer[] {
  const pieces: Buffer[] = []
  for (let start = 0, end = 0; start < items.length; start = end) {
    for (let weight = 0; end < items.length && weight < pieceWeight; end++) weight += weigh(defined(items[end]))
    pieces.push(serialize(items.slice(start, end)))
  }
  return pieces
}

/** Reads a list that `inPieces` has serialized; other work of the process has its turn between the pieces. */
export async function joined<T>(pieces: readonly Uint8Array[]): Promise<T[]> {
  const read: (piece: Uint8Array) => readonly T[] = deserialize
  const items: T[] = []
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await nextTurn()
    for (const item of read(piece)) items.push(item)
  }
  return items
}
