import type { ImportEncoding } from '@kontor/contract'
import { bytesIn } from '../decode.ts'

/** A card of a file, as its lines. */
export type CardText = { readonly line: number; readonly end: number; readonly lines: readonly string[] }

type Part = {
  readonly text: string
  readonly isLast: boolean
  readonly encoding: ImportEncoding
  /** Lines of the file before the part. */
  readonly line: number
}

type OpenCard = { lines: string[]; depth: number }

/** Reads the cards of a part of a file that are whole, and the lines after the last, if a card begins in them. */
export function readCards({ text, isLast, encoding, line: before }: Part): {
  readonly cards: readonly CardText[]
  readonly isOpen: boolean
} {
  const cards: CardText[] = []
  let open: OpenCard | undefined
  let [line, end] = [before, 0]
  const textBytes = bytesIn(text, encoding)
  for (const [whole] of text.matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/g)) {
    if (whole === '') continue
    const isCut = end + bytesIn(whole, encoding) === textBytes && !whole.endsWith('\n')
    if (isCut && !isLast) break
    line++
    end += bytesIn(whole, encoding)
    const content = whole.replace(/[\r\n]+$/, '')
    const mark = content.trim().toLowerCase()
    if (mark === 'begin:vcard') {
      // A card of version 2.1 may contain that of an agent.
      if (open === undefined) open = { lines: [], depth: 1 }
      else open.depth++
    }
    open?.lines.push(content)
    if (mark !== 'end:vcard' || open === undefined || --open.depth > 0) continue
    cards.push({ line, end, lines: open.lines })
    open = undefined
  }
  return { cards, isOpen: open !== undefined }
}
