import { FileFault } from '../file-fault.ts'
import type { SourceRow } from '../source-row.ts'
import { readCards } from './cards.ts'
import { cellsOfCard } from './columns.ts'
import { binary, logicalLines, readProperties } from './properties.ts'

/** Reads the cards of a part of a file. The last cell of each, beyond the header, is the card without its pictures. */
export function readCardRows(part: Parameters<typeof readCards>[0]): SourceRow[] {
  const { cards, isOpen } = readCards(part)
  if (part.isLast && isOpen)
    throw new FileFault(`The card after line ${cards.at(-1)?.line ?? part.line} is incomplete: END:VCARD is missing.`)
  return cards.map(({ line, end, lines }) => ({
    line,
    end,
    cells: cellsOfCard(readProperties(lines)),
    source: withoutPictures(lines),
  }))
}

const withoutPictures = (lines: readonly string[]): string =>
  logicalLines(lines)
    .filter((line) => !binary.has(/^(?:[^:;.]*\.)?([A-Za-z-]+)/.exec(line)?.[1]?.toUpperCase() ?? ''))
    .join('\r\n')
