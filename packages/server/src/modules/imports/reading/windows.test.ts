import { expect, test } from 'vitest'
import { readRows } from './rows.ts'
import { findShape } from './shape.ts'

const card = (name: string): string => `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:${name}\r\nNOTE:a\r\n b\r\nEND:VCARD\r\n`

test.each(['utf-8', 'utf-16le', 'latin1'] as const)('reads cards window by window, in %s', async (encoding) => {
  const bytes = Buffer.from(['Ä', 'Ö', 'ü'].map(card).join('\r\n'), encoding)
  const shape = await findShape({ bytes, isWhole: true, format: 'vcard' })
  for (const size of [1, 50, 90, 200, 2000]) {
    const names: unknown[] = []
    let [at, line, room] = [shape.start, shape.line, size]
    for (let isLast = false; !isLast;) {
      isLast = at + room >= bytes.length
      const found = await readRows({ bytes: bytes.subarray(at, at + room), isLast, shape, line })
      names.push(...found.map((row) => [row.line, row.cells[shape.header.indexOf('Full name')]]))
      const last = found.at(-1)
      at += last?.end ?? 0
      line = last?.line ?? line
      room = last === undefined ? room + size : size
    }
    expect(names).toEqual([
      [6, 'Ä'],
      [13, 'Ö'],
      [20, 'ü'],
    ])
  }
})

test('no text breaks the reading of cards', async () => {
  const pieces = [
    'BEGIN:VCARD',
    'END:VCARD',
    'FN',
    ':',
    ';',
    '=',
    '"',
    '\\',
    '\r\n ',
    '\n',
    'N;ENCODING=QUOTED-PRINTABLE:=',
    'ä',
  ]
  const shape = await findShape({ bytes: Buffer.from(card('x')), isWhole: true, format: 'vcard' })
  for (let seed = 0; seed < 2000; seed++) {
    const middle = [3, 5, 7, 11].map((step, at) => pieces[(seed * step + at * seed) % pieces.length]).join('')
    const bytes = Buffer.from(`BEGIN:VCARD\n${middle}\nEND:VCARD\nEND:VCARD\n`)
    const rows = await readRows({ bytes, isLast: false, shape, line: 0 })
    for (const row of rows) expect(row.cells).toHaveLength(shape.header.length)
  }
})
